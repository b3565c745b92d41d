import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { foundProjectName, normalizeProjectName } from "./name.ts";

describe("the name of a project", () => {
  test("is lower case, trimmed, without doubled separators", () => {
    expect(normalizeProjectName("  My__Web--App -_ Two ")).toBe("my_web-app -_ two");
    expect(normalizeProjectName(" \n ")).toBe("");
  });

  test("keeps doubled separators as it was found", () => {
    expect(foundProjectName("  My__Web--App ")).toBe("my__web--app");
  });

  test("is lower-cased one character at a time, whatever stands around it", () => {
    for (const name of [normalizeProjectName, foundProjectName]) {
      expect(name("ΟΔΟΣ")).toBe("οδοσ");
      expect(name("İzmir")).toBe("izmir");
      expect(name("ÑANDÚ")).toBe("ñandú");
    }
  });

  test("stays what it is once normalised", () => {
    const odd = fc.string({ unit: fc.constantFrom("A", "Σ", "İ", "-", "_", " ", "漢", "😀") });
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), odd), (text) => {
        expect(normalizeProjectName(normalizeProjectName(text))).toBe(normalizeProjectName(text));
        expect(foundProjectName(foundProjectName(text))).toBe(foundProjectName(text));
      }),
    );
  });
});
