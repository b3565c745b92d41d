import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { refusal } from "../../test/support/memories.ts";
import { EngramError } from "../kernel/errors.ts";
import { describeIssue, invoke, operation } from "./operation.ts";

const greet = operation({
  name: "test.greet",
  kind: "read",
  summary: "Greets.",
  input: () => z.object({ name: z.string(), times: z.number().int().default(2), tags: z.array(z.string()).optional() }),
  run: (app: { greeting: string }, { name, times }) => `${app.greeting} ${name}!`.repeat(times),
});

const app = { greeting: "Hello" };
const wrong = (input: unknown) => refusal(invoke(greet, app, input as { name: string; times: number }));

describe("an operation", () => {
  test("gets its part of the app and its input with defaults filled in", async () => {
    expect(await invoke(greet, app, { name: "Ada" } as { name: string; times: number })).toBe("Hello Ada!Hello Ada!");
  });

  test("may take its time", async () => {
    const slow = operation({ ...greet, input: () => z.object({}), run: async () => 7 });
    expect(await invoke(slow, {}, {})).toBe(7);
  });

  test("is not run with an input it cannot use: the answer names the field", async () => {
    expect(await wrong({ times: 1 })).toMatchObject({ kind: "invalid", message: expect.stringMatching(/^name: /) });
    expect(await wrong({ name: "Ada", tags: ["a", 3] })).toMatchObject({
      kind: "invalid",
      message: expect.stringMatching(/^tags\.1: /),
    });
    expect(await wrong(null)).toMatchObject({ kind: "invalid" });
    expect(await wrong({ name: "Ada", times: 1.5 })).toMatchObject({ kind: "invalid" });
  });

  test("lets its own errors through untouched, thrown or rejected", async () => {
    const error = new EngramError("conflict", "taken", { code: "x" });
    const throwing = operation({
      ...greet,
      input: () => z.object({}),
      run(): string {
        throw error;
      },
    });
    const rejecting = operation({ ...greet, input: () => z.object({}), run: () => Promise.reject(error) });
    expect(await refusal(invoke(throwing, {}, {}))).toBe(error);
    expect(await refusal(invoke(rejecting, {}, {}))).toBe(error);
  });
});

test("an issue without a place is its message alone", () => {
  expect(describeIssue(z.string().safeParse(1).error as z.ZodError)).not.toMatch(/^: /);
  expect(describeIssue(new z.ZodError([]))).toBe("the input is not usable");
});
