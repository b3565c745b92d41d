import { describe, expect, test } from "bun:test";
import { makeClock } from "../../../test/support/clock.ts";
import { watchActivity } from "./activity.ts";

test("calls and saves are counted by session", () => {
  const activity = watchActivity(makeClock());
  activity.called("a");
  activity.called("a");
  activity.saved("a");
  activity.called("b");
  expect(activity.of("a")).toEqual({ calls: 2, saves: 1 });
  expect(activity.of("b")).toEqual({ calls: 1, saves: 0 });
  expect(activity.of("never seen")).toEqual({ calls: 0, saves: 0 });
});

describe("a reminder to save", () => {
  test("is due ten minutes after the last save, in whole minutes", () => {
    const clock = makeClock();
    const activity = watchActivity(clock);
    activity.saved("a");
    clock.advance({ minutes: 9, seconds: 59 });
    expect(activity.quietMinutes()).toBeUndefined();
    clock.advance({ seconds: 1 });
    expect(activity.quietMinutes()).toBe(10);
    clock.advance({ minutes: 2, seconds: 30 });
    expect(activity.quietMinutes()).toBe(12);
  });

  test("is over with the next save, of whatever session", () => {
    const clock = makeClock();
    const activity = watchActivity(clock);
    activity.saved("a");
    clock.advance({ minutes: 20 });
    activity.saved("b");
    expect(activity.quietMinutes()).toBeUndefined();
    clock.advance({ minutes: 10 });
    expect(activity.quietMinutes()).toBe(10);
  });

  test("is due to an agent that never saved only after more than five calls", () => {
    const clock = makeClock();
    const activity = watchActivity(clock);
    clock.advance({ minutes: 30 });
    expect(activity.quietMinutes()).toBeUndefined();
    for (let i = 0; i < 5; i++) activity.called(i % 2 === 0 ? "a" : "b");
    expect(activity.quietMinutes()).toBeUndefined();
    activity.called("a");
    expect(activity.quietMinutes()).toBe(30);
  });
});
