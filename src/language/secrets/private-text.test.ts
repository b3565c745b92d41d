import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { redactPrivate } from "./private-text.ts";

describe("private text", () => {
  test("gives way to a mark, and the rest is trimmed", () => {
    expect(redactPrivate(" key <private>abc</private> end \n")).toBe("key [REDACTED] end");
    expect(redactPrivate("<private>all of it</private>")).toBe("[REDACTED]");
  });

  test("may run over lines, be empty, and be written in any case", () => {
    expect(redactPrivate("a <PRIVATE>one\ntwo\r\nthree</Private> b")).toBe("a [REDACTED] b");
    expect(redactPrivate("<private></private>")).toBe("[REDACTED]");
  });

  test("ends at the nearest closing tag", () => {
    expect(redactPrivate("<private>a</private> b <private>c</private>")).toBe("[REDACTED] b [REDACTED]");
    expect(redactPrivate("<private>a<private>b</private>c</private>")).toBe("[REDACTED]c</private>");
  });

  test("that is never closed is ordinary text, as is a closing tag alone", () => {
    expect(redactPrivate("<private>not closed")).toBe("<private>not closed");
    expect(redactPrivate("nothing </private> opened")).toBe("nothing </private> opened");
  });

  const open = fc.string({ unit: fc.constantFrom("a", " ", "ñ", "😀", "\n", "[", "<", ">", "/") });
  const tags = fc.constantFrom(["<private>", "</private>"], ["<PRIVATE>", "</private>"], ["<Private>", "</PRIVATE>"]);
  const secret = fc.integer({ min: 0, max: 1e9 }).map((n) => `S3CRET\n${n}`);
  const pieces = fc.array(fc.tuple(open, tags, secret), { maxLength: 6 });

  test("never survives, and nothing around it is lost", () => {
    fc.assert(
      fc.property(pieces, open, (parts, tail) => {
        const text = parts.map(([before, [start, end], inner]) => `${before}${start}${inner}${end}`).join("") + tail;
        const redacted = redactPrivate(text);
        expect(redacted).not.toContain("S3CRET");
        expect(redacted).toBe((parts.map(([before]) => `${before}[REDACTED]`).join("") + tail).trim());
      }),
    );
  });

  test("is gone after one pass: a second changes nothing", () => {
    const noise = fc.string({ unit: fc.constantFrom("<private>", "</private>", "<PRIVATE>", "x", " ", "<", ">") });
    fc.assert(fc.property(noise, (text) => expect(redactPrivate(redactPrivate(text))).toBe(redactPrivate(text))));
  });
});
