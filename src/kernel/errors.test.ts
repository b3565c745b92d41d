import { expect, test } from "bun:test";
import { conflict, EngramError, invalid, messageOf, notFound } from "./errors.ts";

test("an error says its kind, its sentence, its details and its cause", () => {
  const cause = new Error("disk");
  const error = new EngramError("unavailable", "the store is away", { code: "away" }, { cause });
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({
    name: "EngramError",
    kind: "unavailable",
    message: "the store is away",
    details: { code: "away" },
    cause,
  });
});

test("the short forms name their kind and have details only when given", () => {
  expect(invalid("a")).toMatchObject({ kind: "invalid", message: "a", details: {} });
  expect(notFound("b", { id: 1 })).toMatchObject({ kind: "not_found", details: { id: 1 } });
  expect(conflict("c")).toMatchObject({ kind: "conflict", details: {} });
});

test("whatever was thrown has a message", () => {
  expect([new Error("e"), "text", 7, null, undefined].map(messageOf)).toEqual(["e", "text", "7", "null", "undefined"]);
});
