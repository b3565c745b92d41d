import { expect, test } from "bun:test";
import { once } from "./once.ts";

test("a value is made when first asked for, and never again", () => {
  let made = 0;
  const value = once(() => ({ number: ++made }));
  expect(made).toBe(0);
  expect(value()).toBe(value());
  expect(made).toBe(1);
});

test("nothing is a value too", () => {
  let made = 0;
  const value = once(() => void made++);
  value();
  value();
  expect(made).toBe(1);
});

test("a failure is not kept", () => {
  let tries = 0;
  const value = once(() => {
    if (++tries === 1) throw new Error("not yet");
    return tries;
  });
  expect(value).toThrow("not yet");
  expect(value()).toBe(2);
});
