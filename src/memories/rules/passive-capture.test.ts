import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { byteLength, words } from "../../kernel/text.ts";
import { extractLearnings, learningTitle } from "./passive-capture.ts";

const ITEM = "Retries need full jitter to avoid storms";

describe("learnings", () => {
  for (const heading of [
    "## Key Learnings:",
    "### Key Learning",
    "## LEARNINGS",
    "## learning:",
    "## Aprendizajes",
    "### Aprendizajes Clave:",
    "##  key   learnings:  ",
  ]) {
    test(`are found under "${heading}"`, () => {
      expect(extractLearnings(`Done.\n\n${heading}\n\n1. ${ITEM}\n`)).toEqual([ITEM]);
    });
  }

  for (const heading of [
    "# Key Learnings",
    "#### Learnings",
    "Key Learnings:",
    "## Learnings we had",
    "## My Learnings",
    "##Learnings",
    "text ## Learnings",
    "## Key Learnings :",
    " ## Learnings",
  ]) {
    test(`are not found under "${heading}"`, () => {
      expect(extractLearnings(`${heading}\n1. ${ITEM}\n`)).toEqual([]);
    });
  }

  test("are numbered items, with a dot or a parenthesis", () => {
    expect(extractLearnings(`## Learnings\n1. ${ITEM}\n  22) The second one is just as good\n`)).toEqual([
      ITEM,
      "The second one is just as good",
    ]);
  });

  test("are bullets only where no number is usable", () => {
    expect(extractLearnings(`## Learnings\n- A bullet that is long enough\n* Another bullet that is long\n`)).toEqual([
      "A bullet that is long enough",
      "Another bullet that is long",
    ]);
    expect(extractLearnings(`## Learnings\n- A bullet that is long enough\n1. ${ITEM}\n`)).toEqual([ITEM]);
    expect(extractLearnings(`## Learnings\n- A bullet that is long enough\n1. short\n`)).toEqual([
      "A bullet that is long enough",
    ]);
  });

  test("end at the next heading, but not at a small one", () => {
    const text = `## Learnings\n1. ${ITEM}\n#### Aside\n2. Still part of the same section\n# Next\n3. This is no learning at all here\n`;
    expect(extractLearnings(text)).toEqual([ITEM, "Still part of the same section"]);
  });

  test("come from the last section that has any", () => {
    const first = "## Learnings\n1. The first section has this good item\n\n";
    expect(extractLearnings(`${first}## Key Learnings\n1. The last section has this better item`)).toEqual([
      "The last section has this better item",
    ]);
    expect(extractLearnings(`${first}## Aprendizajes\n- corto\n`)).toEqual(["The first section has this good item"]);
  });

  test("are plain text", () => {
    expect(extractLearnings("## Learnings\n1. The **cookie** must be `Secure` when *SameSite*   is None")).toEqual([
      "The cookie must be Secure when SameSite is None",
    ]);
  });

  test("have at least twenty bytes and four words", () => {
    expect(extractLearnings("## Learnings\n1. three longwords onlyhere\n2. a b c d\n3. cuatro cinco seis ñu\n")).toEqual([
      "cuatro cinco seis ñu",
    ]);
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", " ", "*", "`", "\n", "1. ", "- ", "## Learnings\n", "ñ"), maxLength: 80 }),
        (text) => {
          for (const item of extractLearnings(`## Learnings\n${text}`)) {
            expect(byteLength(item)).toBeGreaterThanOrEqual(20);
            expect(words(item).length).toBeGreaterThanOrEqual(4);
          }
        },
      ),
    );
  });

  test("are the same whichever way lines end", () => {
    const lines = fc.array(
      fc.constantFrom("## Learnings", `1. ${ITEM}`, "- A bullet that is long enough", "", "# Other", "### Aprendizajes Clave:"),
    );
    fc.assert(
      fc.property(lines, (text) => expect(extractLearnings(text.join("\r\n"))).toEqual(extractLearnings(text.join("\n")))),
    );
  });

  test("may be none in any text, without a fuss", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => expect(extractLearnings(text)).toBeArray()));
  });
});

describe("the title of a learning", () => {
  test("is its first sixty bytes, dots where something is missing", () => {
    expect(learningTitle(ITEM)).toBe(ITEM);
    expect(learningTitle("x".repeat(60))).toBe("x".repeat(60));
    expect(learningTitle("x".repeat(61))).toBe(`${"x".repeat(60)}...`);
    expect(learningTitle("ñ".repeat(31))).toBe(`${"ñ".repeat(30)}...`);
    expect(learningTitle(`x${"ñ".repeat(31)}`)).toBe(`x${"ñ".repeat(29)}...`);
  });
});
