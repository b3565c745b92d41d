import { expect, test } from "bun:test";
import { isStopWord } from "./stop-words.ts";

test("words that say nothing are known in both languages, whatever their case and accents", () => {
  for (const word of ["the", "The", "WHICH", "de", "El", "cómo", "Cuándo", "MÁS", "qué"]) expect(isStopWord(word)).toBeTrue();
});

test("words that say something are not among them", () => {
  for (const word of ["login", "cache", "base", "índice", "日本", "", "thee"]) expect(isStopWord(word)).toBeFalse();
});
