import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { byteLength, sha256 } from "../../kernel/text.ts";
import {
  contentHash,
  MAX_CONTENT_BYTES,
  normalizeScope,
  normalizeTopicKey,
  prepareContent,
  prepareText,
  prepareTitle,
  replaceLiterally,
  reviewAfter,
  reviewState,
} from "./observation.ts";

const MARK = "... [truncated]";
const anyText = fc.string({ unit: "binary" });

describe("a scope", () => {
  test("is one of three, and project unless it says otherwise", () => {
    expect(["personal", " Global ", "PROJECT"].map(normalizeScope)).toEqual(["personal", "global", "project"]);
    expect(["", "team", "workspace", null, undefined].map(normalizeScope)).toEqual(Array(5).fill("project"));
  });

  test("stays what it is once normalised", () => {
    fc.assert(fc.property(anyText, (text) => expect(normalizeScope(normalizeScope(text))).toBe(normalizeScope(text))));
  });
});

describe("a topic key", () => {
  test("is lower case without white space", () => {
    expect(normalizeTopicKey("  Architecture/Auth  Model\tV2 ")).toBe("architecture/auth-model-v2");
    expect([normalizeTopicKey(""), normalizeTopicKey(" \n "), normalizeTopicKey(null), normalizeTopicKey(undefined)]).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(normalizeTopicKey("ΟΔΟΣ/İZMİR")).toBe("οδοσ/izmir");
  });

  test("has at most 120 bytes and no broken character", () => {
    expect(normalizeTopicKey("k".repeat(300))).toBe("k".repeat(120));
    expect(normalizeTopicKey(`${"k".repeat(119)}ñandú`)).toBe("k".repeat(119));
  });

  test("stays what it is once normalised", () => {
    const long = fc.string({ unit: fc.constantFrom("A", "Σ", "İ", " ", "漢", "😀", "-", "/"), maxLength: 200 });
    fc.assert(
      fc.property(fc.oneof(anyText, long), (text) => {
        const key = normalizeTopicKey(text);
        expect(normalizeTopicKey(key)).toBe(key);
        if (key !== null) expect(byteLength(key)).toBeLessThanOrEqual(120);
      }),
    );
  });
});

describe("a text to be stored", () => {
  test("is whole up to 50,000 bytes", () => {
    const full = "x".repeat(MAX_CONTENT_BYTES);
    expect(prepareText(full)).toEqual({
      text: full,
      truncation: { original_bytes: 50_000, limit_bytes: 50_000, truncated: false },
    });
  });

  test("is cut beyond that, and says so", () => {
    const { text, truncation } = prepareText("x".repeat(MAX_CONTENT_BYTES + 1));
    expect(text).toBe("x".repeat(MAX_CONTENT_BYTES) + MARK);
    expect(truncation).toEqual({ original_bytes: 50_001, limit_bytes: 50_000, truncated: true });
  });

  test("is cut at the start of a character, at most three bytes early", () => {
    const characters = fc.constantFrom("é", "漢", "😀");
    fc.assert(
      fc.property(characters, fc.integer({ min: 0, max: 3 }), (character, shift) => {
        const source = "x".repeat(shift) + character.repeat(26_000);
        const { text } = prepareText(source);
        expect(text.endsWith(MARK)).toBeTrue();
        const kept = text.slice(0, -MARK.length);
        expect(source.startsWith(kept)).toBeTrue();
        expect(text.isWellFormed()).toBeTrue();
        expect(byteLength(kept)).toBeLessThanOrEqual(MAX_CONTENT_BYTES);
        expect(byteLength(kept)).toBeGreaterThan(MAX_CONTENT_BYTES - 4);
      }),
      { numRuns: 20 },
    );
  });

  test("loses its private parts before it is measured and cut", () => {
    const hidden = `<private>${"s".repeat(60_000)}</private>`;
    expect(prepareText(`before ${hidden} after`)).toMatchObject({
      text: "before [REDACTED] after",
      truncation: { truncated: false },
    });
    const straddling = `${"x".repeat(MAX_CONTENT_BYTES - 5)}<private>secret</private>`;
    expect(prepareText(straddling).text).toBe(`${"x".repeat(MAX_CONTENT_BYTES - 5)}[REDA${MARK}`);
    expect(prepareText(straddling).text).not.toContain("secret");
  });

  test("that was cut once is not cut again", () => {
    for (const character of ["x", "é", "漢", "😀"]) {
      for (const shift of ["", "a", "ab"]) {
        const { text } = prepareText(shift + character.repeat(51_000));
        expect(prepareText(text).text.slice(-40)).toBe(text.slice(-40));
        expect(prepareText(text).text).toBe(text);
      }
    }
  });

  test("is refused as title or content where nothing is left of it", () => {
    for (const blank of ["", " ", "\n\t", "\u00a0"]) {
      expect(() => prepareTitle(blank)).toThrow("observation title is required");
      expect(() => prepareContent(blank)).toThrow("observation content is required");
    }
    expect(prepareTitle(" <private>who</private> ")).toBe("[REDACTED]");
    expect(prepareContent("<private>what</private>").text).toBe("[REDACTED]");
  });
});

describe("the hash of a content", () => {
  test("is that of its lower-case words with single spaces", () => {
    expect(contentHash("  Hello\n\n  WORLD ")).toBe(sha256("hello world"));
  });

  test("does not see case and white space, and sees everything else", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 4 });
    const gap = fc.constantFrom(" ", "\n", "\t\t", "  \r\n ");
    fc.assert(
      fc.property(fc.array(fc.tuple(word, gap)), fc.array(word), (spaced, other) => {
        const plain = spaced.map(([text]) => text);
        expect(contentHash(spaced.map(([text, space]) => text.toUpperCase() + space).join(""))).toBe(
          contentHash(plain.join(" ")),
        );
        if (other.join(" ") !== plain.join(" ")) expect(contentHash(other.join(" "))).not.toBe(contentHash(plain.join(" ")));
      }),
    );
  });
});

describe("a review date", () => {
  const now = new Date("2026-03-31T10:00:00Z");

  test("follows from the type", () => {
    expect(reviewAfter("decision", now)).toBe("2026-10-01 10:00:00");
    expect(reviewAfter("policy", now)).toBe("2027-03-31 10:00:00");
    expect(reviewAfter("preference", now)).toBe("2026-07-01 10:00:00");
    for (const type of ["bugfix", "manual", "", "Decision"]) expect(reviewAfter(type, now)).toBeNull();
  });

  test("is none for a type that only looks like a name of the language", () => {
    for (const type of ["constructor", "toString", "valueOf", "__proto__", "hasOwnProperty"])
      expect(reviewAfter(type, now)).toBeNull();
  });

  test("is due from that second on", () => {
    expect(reviewState("2026-03-31 10:00:00", now)).toBe("needs_review");
    expect(reviewState("2026-03-31 10:00:01", now)).toBe("active");
    expect(reviewState(null, now)).toBe("active");
    expect(reviewState("", now)).toBe("active");
  });
});

describe("a literal replacement", () => {
  test("changes every occurrence, minds case, and knows no patterns", () => {
    expect(replaceLiterally("a.a.A", "a", "b")).toBe("b.b.A");
    expect(replaceLiterally("cost", "cost", "$& $1 $$")).toBe("$& $1 $$");
    expect(replaceLiterally("a+b", "+", "-")).toBe("a-b");
    expect(replaceLiterally("text", "missing", "x")).toBe("text");
    expect(replaceLiterally("text", "", "x")).toBe("text");
  });

  test("is split and join", () => {
    const small = fc.string({ unit: fc.constantFrom("a", "b", "$", "&") });
    fc.assert(
      fc.property(small, small, small, (text, find, replacement) => {
        fc.pre(find !== "");
        expect(replaceLiterally(text, find, replacement)).toBe(text.split(find).join(replacement));
      }),
    );
  });
});
