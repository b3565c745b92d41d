import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { makeTree } from "../../test/support/repositories.ts";
import { parseGitConfig } from "./git-config.ts";

const tree = makeTree(process.env);
afterAll(() => tree.remove());

const url = (text: string) => parseGitConfig(text).get("remote.origin.url");

/** git's own answer, the first of several; null when git calls the file bad. */
function gitSays(text: string): string | undefined | null {
  tree.file("config", text);
  try {
    return tree.git(".", "config", "--file", "config", "--null", "--get-all", "remote.origin.url").split("\0")[0];
  } catch (error) {
    return (error as { status: number }).status === 1 ? undefined : null;
  }
}

describe("a git config", () => {
  const readable: [what: string, text: string, expected: string | undefined][] = [
    ["has values below section headers", '[remote "origin"]\n\turl = https://h/a/b.git\n', "https://h/a/b.git"],
    ["may continue on the line of the header", '[remote "origin"] url=x', "x"],
    ["has the first of several addresses", '[remote "origin"]\nurl = one\nurl = two\n', "one"],
    ["may open a section twice", '[remote "origin"]\nfetch = f\n[core]\nbare = no\n[remote "origin"]\nurl = two\n', "two"],
    ["has the first address over all sections", '[remote "origin"]\nurl = one\n[core]\n[remote "origin"]\nurl = two\n', "one"],
    ["ignores the case of sections and variables", '[ReMote "origin"]\nURL = x\n', "x"],
    ["minds the case of sub-sections", '[remote "Origin"]\nurl = x\n', undefined],
    ["has an old form of sub-sections without quotes", "[remote.Origin]\nurl = x\n", "x"],
    ["drops comments of both kinds", '# a\n; b\n[remote "origin"] # c\nurl = x ; d\n', "x"],
    ["keeps comment signs inside quotes", '[remote "origin"]\nurl = "x#y;z" # c\n', "x#y;z"],
    ["keeps blanks inside, not around", '[remote "origin"]\nurl =   a b   \n', "a b"],
    ["keeps all blanks inside quotes", '[remote "origin"]\nurl = " a "" b "\n', " a  b "],
    ["knows escapes", '[remote "origin"]\nurl = a\\\\b\\"c\\td\\ne\n', 'a\\b"c\td\ne'],
    ["continues lines", '[remote "origin"]\nurl = https://h/\\\nname.git\n', "https://h/name.git"],
    ["does not continue a comment", '[remote "origin"]\n# b\\\nurl = c\n', "c"],
    ["does not continue a comment after a value", '[remote "origin"]\nurl = a # b\\\nc\n', "a"],
    ["allows Windows line ends", '[remote "origin"]\r\n\turl = x\r\n', "x"],
    ["allows variables without a value", '[remote "origin"]\nprune\nurl = x\n', "x"],
    ["unescapes sub-sections", '[remote "or\\igin"]\nurl = x\n', "x"],
    ["may have a variable of the same name elsewhere", '[remote "fork"]\nurl = y\n[url "origin"]\nurl = z\n', undefined],
    ["may be empty", "", undefined],
  ];
  test.each(readable)("%s", (_, text, expected) => {
    expect(url(text)).toBe(expected);
    expect(gitSays(text)).toBe(expected);
  });

  test("has the last of several values of any other variable", () => {
    const text = '[core]\nbare = yes\nbare = no\n[remote "origin"]\nfetch = a\npushurl = p\nfetch = b\npushurl = q\n';
    const values = parseGitConfig(text);
    tree.file("config", text);
    for (const key of ["core.bare", "remote.origin.fetch", "remote.origin.pushurl"]) {
      expect(values.get(key)).toBe(tree.git(".", "config", "--file", "config", "--get", key));
    }
  });

  const broken: [what: string, rest: string][] = [
    ["an open quote", 'url = "x\n'],
    ["an unknown escape", "url = a\\qb\n"],
    ["a header that does not close", '[remote "origin"\nurl = y\n'],
    ["a key that is none", "= y\n"],
    ["a key followed by no sign", "url y\n"],
  ];
  test.each(broken)("with %s keeps what stands before", (_, rest) => {
    const text = `[remote "origin"]\nurl = before\n${rest}`;
    expect(gitSays(text)).toBeNull();
    expect(url(text)).toBe("before");
  });

  test("without any section has no values", () => {
    expect(parseGitConfig("url = x\n").size).toBe(0);
  });

  test("gives back what git wrote into it", () => {
    // Control characters other than these are not text that git promises to keep.
    const value = fc.string({ unit: fc.constantFrom(..."ab/:.#;\"\\ \t\n[]='é") });
    fc.assert(
      fc.property(value, (written) => {
        tree.file("written", "");
        tree.git(".", "config", "--file", "written", "remote.origin.url", written);
        const text = readFileSync(tree.path("written"), "utf8");
        expect(url(text)).toBe(written);
      }),
      { numRuns: 40 },
    );
  });

  test("of any shape is read as git reads it", () => {
    const pieces = [
      '[remote "origin"]',
      "[remote.origin]",
      "[core]",
      "url",
      "=",
      "x",
      " ",
      "\n",
      '"',
      "\\",
      "#",
      ";",
      "n",
      "\r\n",
      "]",
    ];
    const text = fc
      .array(fc.constantFrom(...pieces), { maxLength: 25 })
      .map((parts) => `[remote "origin"]\nurl=${parts.join("")}`);
    fc.assert(
      fc.property(text, (config) => {
        const expected = gitSays(config);
        const ours = url(config);
        // Versions of git differ in blanks before a continued line that is empty.
        if (expected !== null) expect(ours?.trimEnd()).toBe(expected?.trimEnd());
      }),
      { numRuns: 200 },
    );
  }, 30_000);
});
