import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { z } from "zod";
import { EngramError } from "../kernel/errors.ts";
import type { HttpRequest } from "./http.ts";
import { boolean, integer, jsonBody, parseJson, pathId, text } from "./http-decode.ts";

const query = (source: string) => new URLSearchParams(source);
const request = (part: Partial<HttpRequest>): HttpRequest => ({
  params: {},
  query: query(""),
  body: "",
  serverDirectory: "/srv",
  ...part,
});
const idOf = (id: string) => pathId(request({ params: { id } }), "invalid id");

describe("a query value", () => {
  test("is text as it came, or absent", () => {
    expect(text(query("a=%20x%26y"), "a")).toBe(" x&y");
    expect(text(query("a="), "a")).toBe("");
    expect(text(query("b=1"), "a")).toBeUndefined();
  });

  test("is a number only where it is a whole one", () => {
    expect(integer(query("n=12"), "n")).toBe(12);
    expect(integer(query("n=-3"), "n")).toBe(-3);
    expect(integer(query("n=%2B7"), "n")).toBe(7);
    for (const value of ["", "x", "1.5", "1e3", "0x10", " 1", "1 ", "9999999999999999", "١"]) {
      expect(integer(query(new URLSearchParams({ n: value }).toString()), "n")).toBeUndefined();
    }
  });

  test("is true or false in the words that Go knows", () => {
    for (const word of ["1", "t", "T", "TRUE", "true", "True"]) expect(boolean(query(`b=${word}`), "b")).toBeTrue();
    for (const word of ["0", "f", "F", "FALSE", "false", "False"]) expect(boolean(query(`b=${word}`), "b")).toBeFalse();
    for (const word of ["", "yes", "tRUE", "2", "on"]) expect(boolean(query(`b=${word}`), "b")).toBeUndefined();
    expect(boolean(query(""), "b")).toBeUndefined();
  });
});

describe("an id in a path", () => {
  test("is a number of up to 64 bits", () => {
    expect(idOf("12")).toBe(12);
    expect(idOf("0")).toBe(0);
    expect(idOf("+5")).toBe(5);
    expect(idOf(String(Number.MAX_SAFE_INTEGER))).toBe(Number.MAX_SAFE_INTEGER);
  });

  test("beyond what a number can hold exactly is one that an operation takes and no row has", () => {
    for (const id of ["9007199254740992", "9223372036854775807"]) expect(Number.isSafeInteger(idOf(id))).toBeTrue();
  });

  test("below zero is one that no row has", () => {
    expect(idOf("-1")).toBe(-1);
    expect(idOf("-9223372036854775808")).toBe(-1);
  });

  test("is refused in the words of the route where it is none", () => {
    for (const id of ["", "abc", "1.5", "9223372036854775808", "99999999999999999999", "1e3", " 1", "0x1"]) {
      expect(() => idOf(id)).toThrow("invalid id");
    }
  });

  test("is refused, never a crash, for any text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.bigInt().map(String)), (id) => {
        try {
          expect(Number.isInteger(idOf(id))).toBeTrue();
        } catch (error) {
          expect(error).toBeInstanceOf(EngramError);
        }
      }),
    );
  });
});

describe("a JSON body", () => {
  const Body = z.object({ name: z.string().optional(), count: z.number().optional() });
  const read = (body: string) => jsonBody(request({ body }), Body);

  test("is parsed, unknown keys and nulls left out", () => {
    expect(read('{"name":"a","count":null,"other":1}')).toEqual({ name: "a" });
    expect(read("null")).toEqual({});
  });

  test("that is missing, broken or no object is refused in one way", () => {
    for (const body of ["", "  ", "{", "[]", '"text"', "7", '{"name":1}', '{"count":"2"}']) {
      expect(() => read(body)).toThrow(/^invalid json: /);
    }
    expect(() => read("")).toThrow("invalid json: EOF");
    expect(() => read('{"name":1}')).toThrow("name");
  });

  test("is read or refused, never a crash, for any text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.json(), fc.constant('{"__proto__":{"name":"x"}}')), (body) => {
        try {
          read(body);
        } catch (error) {
          expect(error).toMatchObject({ kind: "invalid" });
        }
      }),
    );
    expect(parseJson('{"a":[1,2]}')).toEqual({ a: [1, 2] });
  });
});
