import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { encodeJson, jsonLine, withoutEmpty } from "./json.ts";

describe("JSON for the wire", () => {
  test("means the same as what was given", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary", maxDepth: 2 }), fc.constantFrom(undefined, 2), (value, indent) => {
        expect(JSON.parse(encodeJson(value, indent))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("holds no character that HTML or JavaScript would take for its own", () => {
    const risky = fc
      .array(fc.constantFrom("<", ">", "&", "\u2028", "\u2029", "a", '"', "\\", "\n"))
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(risky, risky, (key, text) => {
        const encoded = encodeJson({ [key]: text });
        expect(encoded).not.toMatch(/[<>&\u2028\u2029]/);
        expect(JSON.parse(encoded)).toEqual({ [key]: text });
      }),
    );
  });

  test("escapes as the Go program does", () => {
    expect(encodeJson("<a href='x'>&</a>")).toBe("\"\\u003ca href='x'\\u003e\\u0026\\u003c/a\\u003e\"");
    expect(encodeJson({ a: 1 }, 2)).toBe('{\n  "a": 1\n}');
  });

  test("is null where there is nothing to say", () => {
    expect(encodeJson(undefined)).toBe("null");
    expect(encodeJson(() => 1)).toBe("null");
  });

  test("ends a line once", () => {
    expect(jsonLine({ a: "x\n" })).toBe('{"a":"x\\n"}\n');
  });
});

test("absent values leave no key, empty ones stay", () => {
  expect(withoutEmpty({ a: null, b: undefined, c: "", d: 0, e: false, f: [] })).toEqual({ c: "", d: 0, e: false, f: [] });
});
