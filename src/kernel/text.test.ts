import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { byteLength, clip, cutBytes, cutCharacters, didYouMean, lowerSimple, nearest, quote, sha256, words } from "./text.ts";

/** Every kind of character by width, and pieces of characters as broken programs send them. */
const whole = fc.string({
  unit: fc.constantFrom("a", "é", "漢", "😀", "👩‍👩‍👧", "\n", "\u0000", "ß", " "),
  maxLength: 40,
  size: "max",
});
const broken = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 }).map((units) => String.fromCharCode(...units));
const texts = fc.oneof(whole, fc.string({ unit: "binary", maxLength: 40 }), broken);
/** A text and a limit that is as often too small for it as not. */
const limited = (source: fc.Arbitrary<string>) =>
  source.chain((text) => fc.tuple(fc.constant(text), fc.integer({ min: 0, max: byteLength(text) + 3 })));

describe("a cut in bytes", () => {
  test("is a beginning of the text, within the limit, and the longest such", () => {
    fc.assert(
      fc.property(limited(texts), ([text, limit]) => {
        const cut = cutBytes(text, limit);
        expect(byteLength(cut)).toBeLessThanOrEqual(limit);
        const sound = text.toWellFormed();
        expect(sound.startsWith(cut.toWellFormed())).toBeTrue();
        const [next = ""] = sound.slice(cut.length);
        if (next !== "") expect(byteLength(cut + next)).toBeGreaterThan(limit);
      }),
    );
  });

  test("never leaves half a character", () => {
    fc.assert(fc.property(limited(whole), ([text, limit]) => expect(cutBytes(text, limit).isWellFormed()).toBeTrue()));
  });

  test("cuts nothing off what fits, and nothing more the second time", () => {
    fc.assert(
      fc.property(limited(texts), ([text, limit]) => {
        const cut = cutBytes(text, limit);
        if (byteLength(text) <= limit) expect(cut).toBe(text);
        expect(cutBytes(cut, limit)).toBe(cut);
      }),
    );
  });

  test("stops before a character that straddles the limit", () => {
    expect(cutBytes("aé", 2)).toBe("a");
    expect(cutBytes("漢字", 5)).toBe("漢");
    expect(cutBytes("😀", 3)).toBe("");
    expect(cutBytes("😀x", 4)).toBe("😀");
    expect(cutBytes("abc", 0)).toBe("");
  });
});

describe("a cut in characters", () => {
  test("counts code points and says whether anything was left out", () => {
    fc.assert(
      fc.property(limited(texts), ([text, limit]) => {
        const points = [...text];
        expect(cutCharacters(text, limit)).toEqual({ text: points.slice(0, limit).join(""), cut: points.length > limit });
      }),
    );
  });

  test("shows three dots exactly when something is missing", () => {
    fc.assert(
      fc.property(limited(texts), ([text, limit]) => {
        const points = [...text];
        expect(clip(text, limit)).toBe(points.length > limit ? `${points.slice(0, limit).join("")}...` : text);
      }),
    );
    expect(clip("😀😀😀", 2)).toBe("😀😀...");
    expect(clip("ab", 2)).toBe("ab");
  });
});

describe("simple lower case", () => {
  test("keeps the number of characters and is stable", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const lower = lowerSimple(text);
        expect([...lower].length).toBe([...text].length);
        expect(lowerSimple(lower)).toBe(lower);
      }),
    );
  });

  test("knows no rule about the end of a word", () => {
    expect(lowerSimple("ΟΔΟΣ")).toBe("οδοσ");
    expect(lowerSimple("İstanbul")).toBe("istanbul");
    expect(lowerSimple("STRASSE ÑANDÚ")).toBe("strasse ñandú");
  });

  test("is ordinary lower case for plain text", () => {
    fc.assert(fc.property(fc.string({ unit: "grapheme-ascii" }), (text) => expect(lowerSimple(text)).toBe(text.toLowerCase())));
  });
});

describe("words", () => {
  test("are what stands between white space, none of them empty", () => {
    expect(words("  one\ttwo\n\nthree\u00a0four\u3000")).toEqual(["one", "two", "three", "four"]);
    expect(words(" \n ")).toEqual([]);
    fc.assert(fc.property(texts, (text) => expect(words(words(text).join(" "))).toEqual(words(text))));
  });
});

test("a hash is SHA-256 over the UTF-8 bytes, in hex", () => {
  expect(sha256("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(sha256("ñ")).toBe(new Bun.CryptoHasher("sha256").update(new Uint8Array([0xc3, 0xb1])).digest("hex"));
});

describe("a quoted text for people", () => {
  test("escapes quotes, backslashes and control characters, and nothing printable", () => {
    expect(quote('say "hi" \\ ñ 😀')).toBe('"say \\"hi\\" \\\\ ñ 😀"');
    expect(quote("a\nb\tc\rd\u0000e\u001b\u007f")).toBe('"a\\nb\\tc\\rd\\x00e\\x1b\\x7f"');
    expect(quote("\u0007\b\f\v")).toBe('"\\a\\b\\f\\v"');
  });

  test("shows what cannot be seen", () => {
    expect(quote("a\u0085b\u00a0c\u00add\u200be\u202ef\u2028g\u2060h\ufeff")).toBe(
      '"a\\u0085b\\u00a0c\\u00add\\u200be\\u202ef\\u2028g\\u2060h\\ufeff"',
    );
    expect(quote("ñ 漢 — … 😀")).toBe('"ñ 漢 — … 😀"');
  });

  test("stays on one line and can be read back", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const quoted = quote(text);
        expect(quoted).not.toMatch(/[\p{Cc}\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/u);
        expect(unquoted(quoted)).toBe(text);
      }),
    );
  });
});

/** The text of a quoted string; throws where it is none. */
function unquoted(quoted: string): string {
  const named: Record<string, string> = {
    a: "\u0007",
    b: "\b",
    f: "\f",
    n: "\n",
    r: "\r",
    t: "\t",
    v: "\v",
    '"': '"',
    "\\": "\\",
  };
  const inside = /^"((?:[^"\\]|\\(?:[abfnrtv"\\]|x[0-9a-f]{2}|u[0-9a-f]{4}))*)"$/.exec(quoted)?.[1];
  if (inside === undefined) throw new Error(`not a quoted string: ${quoted}`);
  return inside.replace(
    /\\(?:(?:x(?=[0-9a-f]{2})|u(?=[0-9a-f]{4}))((?<=x)..|(?<=u)....)|(.))/g,
    (_, hex: string | undefined, name: string) =>
      hex === undefined ? (named[name] as string) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

describe("the nearest name", () => {
  const naive = (a: string, b: string): number => {
    const row = (i: number, j: number): number => {
      if (i === 0 || j === 0) return i + j;
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      return Math.min(known(i - 1, j) + 1, known(i, j - 1) + 1, known(i - 1, j - 1) + same);
    };
    const cells = new Map<number, number>();
    const known = (i: number, j: number): number => {
      const key = i * 1000 + j;
      if (!cells.has(key)) cells.set(key, row(i, j));
      return cells.get(key) as number;
    };
    return known(a.length, b.length);
  };

  test("orders names from the likeliest meant to the least", () => {
    const short = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
    fc.assert(
      fc.property(short, fc.array(short), (meant, names) => {
        const ordered = nearest(meant, names);
        expect([...ordered].sort()).toEqual([...names].sort());
        const distances = ordered.map((name) => naive(meant, name));
        expect(distances).toEqual([...distances].sort((a, b) => a - b));
      }),
    );
    expect(nearest("shop", ["blog", "Shop", "ship"])).toEqual(["Shop", "ship", "blog"]);
  });

  test("suggests a name only where the slip is small for the length of the word", () => {
    expect(didYouMean("serch", ["save", "search", "stats"])).toBe("search");
    expect(didYouMean("statss", ["save", "search", "stats"])).toBe("stats");
    expect(didYouMean("xyz", ["save", "search"])).toBeUndefined();
    expect(didYouMean("a", ["b"])).toBeUndefined();
    expect(didYouMean("anything", [])).toBeUndefined();
  });

  test("suggests nothing further away than two slips", () => {
    const short = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
    fc.assert(
      fc.property(short, fc.array(short), (meant, names) => {
        const allowed = Math.min(2, Math.floor(meant.length / 2));
        const found = didYouMean(meant, names);
        if (found === undefined) expect(names.every((name) => naive(meant, name) > allowed)).toBeTrue();
        else expect(naive(meant, found)).toBeLessThanOrEqual(allowed);
      }),
    );
  });
});
