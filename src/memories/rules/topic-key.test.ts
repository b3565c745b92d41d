import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { normalizeTopicKey } from "./observation.ts";
import { suggestTopicKey } from "./topic-key.ts";

const suggest = (title: string, type = "", content = "") => suggestTopicKey({ type, title, content });

describe("a suggested topic key", () => {
  test("takes its family from the type", () => {
    expect(suggest("JWT auth middleware", "architecture")).toBe("architecture/jwt-auth-middleware");
    expect(suggest("Login loop", "bugfix")).toBe("bug/login-loop");
    expect(suggest("Cache", "root_cause")).toBe("discovery/cache");
    expect(suggest("Today", "session_summary")).toBe("session/today");
  });

  test("takes it from the words where the type says nothing", () => {
    expect(suggest("Crash on start", "manual")).toBe("bug/crash-on-start");
    expect(suggest("Naming of files")).toBe("pattern/naming-of-files");
    expect(suggest("Deploys", "manual", "we chose blue green")).toBe("decision/deploys");
  });

  test("tells a discovery from a learning", () => {
    for (const hint of ["a discovery", "investigate this", "an investigation", "the root cause", "we found it"]) {
      expect(suggest("Cache", "manual", hint)).toBe("discovery/cache");
    }
    for (const hint of ["we learned it", "a learning"]) expect(suggest("Cache", "manual", hint)).toBe("learning/cache");
    expect(suggest("Cache", "manual", "we learned what the investigation found")).toBe("discovery/cache");
  });

  test("takes the type itself where neither helps, and `topic` where there is none", () => {
    expect(suggest("Something new", "My Kind")).toBe("my-kind/something-new");
    expect(suggest("Something new", "manual")).toBe("topic/something-new");
    expect(suggest("Something new")).toBe("topic/something-new");
  });

  test("does not say its family twice", () => {
    expect(suggest("Decision: use queues", "decision")).toBe("decision/use-queues");
    expect(suggest("Decision", "decision")).toBe("decision/general");
  });

  test("uses the first words of the content where there is no title", () => {
    expect(suggest("", "manual", "One two three four five six seven eight nine ten")).toBe(
      "topic/one-two-three-four-five-six-seven-eight",
    );
  });

  test("needs one of the two", () => {
    expect(() => suggest("  ", "decision", "\n")).toThrow("provide title or content");
  });

  test("holds nothing private", () => {
    expect(suggest("Token <private>hunter2</private>", "config")).not.toContain("hunter2");
  });

  test("is the same for the same words, and already what a save would store", () => {
    const kinds = fc.constantFrom("", "manual", "decision", "bugfix", "Custom Type", "ñandú");
    fc.assert(
      fc.property(kinds, fc.string({ unit: "binary", maxLength: 300 }), fc.string({ unit: "binary" }), (type, title, content) => {
        fc.pre((title + content).trim() !== "");
        const key = suggestTopicKey({ type, title: `t ${title}`, content });
        expect(key).toMatch(/^[a-z0-9-]+\/[a-z0-9-]+$/);
        expect(normalizeTopicKey(key)).toBe(key);
        expect(suggestTopicKey({ type, title: `T  ${title}`, content })).toBe(key);
      }),
    );
  });
});
