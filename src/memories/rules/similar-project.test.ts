import { describe, expect, test } from "bun:test";
import { similarProject } from "./similar-project.ts";

const projects = (...named: [name: string, observations: number][]) =>
  named.map(([name, observation_count]) => ({ name, observation_count, session_count: 0, prompt_count: 0, directories: [] }));

describe("a project without memories", () => {
  test("is probably one that has some under another case, as part of its name, or a slip away", () => {
    expect(similarProject("shop", projects(["Shop", 3]))).toEqual({ name: "Shop", observations: 3 });
    expect(similarProject("shop-api", projects(["shop", 2]))).toEqual({ name: "shop", observations: 2 });
    expect(similarProject("shop", projects(["my-shop-api", 2]))).toEqual({ name: "my-shop-api", observations: 2 });
    expect(similarProject("egnram", projects(["engram", 9]))).toEqual({ name: "engram", observations: 9 });
  });

  test("is first the same name, then the one that contains it, then the one a slip away", () => {
    const all = projects(["shup", 1], ["shop-api", 1], ["SHOP", 1]);
    expect(similarProject("shop", all)?.name).toBe("SHOP");
    expect(similarProject("shop", all.slice(0, 2))?.name).toBe("shop-api");
    expect(similarProject("shop", all.slice(0, 1))?.name).toBe("shup");
  });

  test("resembles nothing when the names differ in more than half their letters, or in more than three", () => {
    expect(similarProject("shop", projects(["blog", 5]))).toBeUndefined();
    expect(similarProject("abcdefghijkl", projects(["abcdefghWXYZ", 5]))).toBeUndefined();
    expect(similarProject("abcdefghijkl", projects(["abcdefghiXYZ", 5]))?.name).toBe("abcdefghiXYZ");
  });

  test("of one or two letters is no part of another name", () => {
    expect(similarProject("ap", projects(["api-server", 5]))).toBeUndefined();
    expect(similarProject("api-server", projects(["ap", 5]))).toBeUndefined();
    expect(similarProject("api", projects(["api-server", 5]))?.name).toBe("api-server");
  });

  test("is not compared with projects that have none either", () => {
    expect(similarProject("shop", projects(["shop-api", 0]))).toBeUndefined();
    expect(similarProject("shop", [])).toBeUndefined();
  });
});

test("a project with memories, or without a name, resembles nothing", () => {
  expect(similarProject("shop", projects(["shop", 1], ["shop-api", 5]))).toBeUndefined();
  expect(similarProject("shop", projects(["shop", 0], ["shop-api", 5]))?.name).toBe("shop-api");
  expect(similarProject("", projects(["shop-api", 5]))).toBeUndefined();
});
