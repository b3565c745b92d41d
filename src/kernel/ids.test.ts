import { expect, test } from "bun:test";
import { randomIds, syncId } from "./ids.ts";

test("random ids have two hex digits per byte and do not repeat", () => {
  const made = Array.from({ length: 200 }, () => randomIds.hex(8));
  for (const id of made) expect(id).toMatch(/^[0-9a-f]{16}$/);
  expect(new Set(made).size).toBe(200);
  expect(randomIds.hex(16)).toMatch(/^[0-9a-f]{32}$/);
});

test("an id that travels is a prefix and sixteen hex digits", () => {
  for (const prefix of ["obs", "prompt", "rel"] as const)
    expect(syncId(randomIds, prefix)).toMatch(new RegExp(`^${prefix}-[0-9a-f]{16}$`));
  expect(syncId({ hex: (bytes) => "ab".repeat(bytes) }, "rel")).toBe("rel-abababababababab");
});
