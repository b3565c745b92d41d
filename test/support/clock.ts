// A clock that stands still until it is told to move.
import type { Clock } from "../../src/kernel/clock.ts";

interface Span {
  days?: number;
  minutes?: number;
  seconds?: number;
}

export interface TestClock extends Clock {
  advance(span: Span): void;
  set(instant: string): void;
}

export function makeClock(start = "2026-03-01T12:00:00Z"): TestClock {
  let now = new Date(start);
  return {
    now: () => new Date(now),
    advance({ days = 0, minutes = 0, seconds = 0 }) {
      now = new Date(now.getTime() + ((days * 24 * 60 + minutes) * 60 + seconds) * 1000);
    },
    set(instant) {
      now = new Date(instant);
    },
  };
}
