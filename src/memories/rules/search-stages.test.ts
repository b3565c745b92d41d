import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { planStages, queryTerms, topicKeyOf } from "./search-stages.ts";

const names = (query: string, ...rest: [Parameters<typeof planStages>[1]?, Parameters<typeof planStages>[2]?]) =>
  planStages(query, rest[0], rest[1] ?? "words").map((stage) => stage.name);
const lookupOf = (query: string, name: string, index: "words" | "trigram" = "words") =>
  planStages(query, undefined, index).find((stage) => stage.name === name)?.lookup;

describe("the terms of a query", () => {
  test("are its words without outer quotes, as often as they are said", () => {
    expect(queryTerms(' "login"  loop login """ "a"b" ')).toEqual(["login", "loop", "login", 'a"b']);
  });

  test("are few and short, however much is pasted", () => {
    expect(queryTerms(Array.from({ length: 5000 }, (_, i) => `w${i}`).join(" "))).toHaveLength(64);
    expect(queryTerms("again ".repeat(5000))).toEqual(Array(64).fill("again"));
    expect(queryTerms("x".repeat(100_000))).toEqual(["x".repeat(200)]);
    expect(queryTerms("😀".repeat(300))).toEqual(["😀".repeat(200)]);
  });

  test("hold no NUL and no half character, are never empty, and come again when said again", () => {
    const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 }).map((codes) => String.fromCharCode(...codes));
    const noisy = fc.string({
      unit: fc.constantFrom("\u0000", '"', " ", "a", "\ud800", "\udc00", "*", "OR", "NEAR("),
      maxLength: 40,
    });
    fc.assert(
      fc.property(fc.oneof(units, noisy), (query) => {
        const terms = queryTerms(query);
        expect(terms.length).toBeLessThanOrEqual(64);
        expect(queryTerms(`${query} ${query}`)).toEqual([...terms, ...terms].slice(0, 64));
        for (const term of terms) {
          expect(term).not.toBe("");
          expect(term.includes("\u0000")).toBeFalse();
          expect(term.isWellFormed()).toBeTrue();
        }
      }),
    );
  });
});

describe("the stages of a query", () => {
  test("widen from all words to any, then to beginnings, then to parts", () => {
    expect(names("login loop")).toEqual(["all", "any", "prefix", "part"]);
  });

  test("skip `any` for one word, and everything for none", () => {
    expect(names("login")).toEqual(["all", "prefix", "part"]);
    expect(names("")).toEqual([]);
    expect(names(' "" \u0000 ')).toEqual([]);
  });

  test("are the one that was asked for", () => {
    expect(names("login loop", "all")).toEqual(["all"]);
    expect(names("login loop", "any")).toEqual(["any"]);
    expect(names("login", "any")).toEqual(["any"]);
  });

  test("look for every word as a phrase, so that no sign is an operator", () => {
    expect(lookupOf('a OR b* "c" d"e', "all")).toEqual({ by: "match", expression: '"a" "OR" "b*" "c" "d""e"' });
    expect(lookupOf("login loop login", "all")).toEqual({ by: "match", expression: '"login" "loop" "login"' });
    expect(lookupOf("login loop login", "any")).toEqual({ by: "match", expression: '"login" OR "loop" OR "login"' });
  });

  test("drop words that say nothing only where any word would do", () => {
    expect(lookupOf("the login of users", "all")).toEqual({ by: "match", expression: '"the" "login" "of" "users"' });
    expect(lookupOf("the login of users", "any")).toEqual({ by: "match", expression: '"login" OR "users"' });
    expect(lookupOf("what is the", "any")).toEqual({ by: "match", expression: '"what" OR "is" OR "the"' });
  });

  test("look for beginnings and parts of real words only", () => {
    expect(lookupOf("logi* -- x", "prefix")).toEqual({ by: "match", expression: '"logi" *' });
    expect(lookupOf("logi* -- x", "part")).toEqual({ by: "part", terms: ["logi"], mode: "all", newest: 20_000 });
    expect(names("-- ::")).toEqual(["all", "any"]);
  });

  test("over trigrams need neither, and compare short terms themselves", () => {
    expect(names("login loop", undefined, "trigram")).toEqual(["all", "any"]);
    expect(lookupOf("login loop", "all", "trigram")).toEqual({ by: "match", expression: '"login" "loop"' });
    expect(lookupOf("go login", "all", "trigram")).toEqual({ by: "part", terms: ["go", "login"], mode: "all" });
    expect(lookupOf("go login", "any", "trigram")).toEqual({ by: "part", terms: ["go", "login"], mode: "any" });
    expect(lookupOf("日本", "all", "trigram")).toEqual({ by: "part", terms: ["日本"], mode: "all" });
  });
});

test("a query with a slash may be a topic key", () => {
  expect(topicKeyOf(" architecture/auth \n")).toBe("architecture/auth");
  expect(topicKeyOf("architecture")).toBeUndefined();
});
