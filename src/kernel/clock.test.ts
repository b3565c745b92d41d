import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { displayTime, minutesBefore, monthsAfter, parseStamp, systemClock, toStamp } from "./clock.ts";

const instants = fc.date({ min: new Date("0100-01-01T00:00:00Z"), max: new Date("9999-12-31T23:59:59Z"), noInvalidDate: true });
const wholeSecond = (date: Date) => Math.floor(date.getTime() / 1000) * 1000;

describe("a stored time", () => {
  test("is UTC in whole seconds", () => {
    expect(toStamp(new Date("2026-01-02T03:04:05.999Z"))).toBe("2026-01-02 03:04:05");
  });

  test("is read back as the second it was written in", () => {
    fc.assert(fc.property(instants, (date) => expect(parseStamp(toStamp(date))?.getTime()).toBe(wholeSecond(date))));
  });

  test("is read from every form that older and newer programs wrote", () => {
    const noon = Date.UTC(2026, 0, 15, 12, 0, 0);
    for (const text of [
      "2026-01-15 12:00:00",
      " 2026-01-15 12:00:00\n",
      "2026-01-15T12:00:00Z",
      "2026-01-15T12:00:00.123456789Z",
      "2026-01-15T14:00:00+02:00",
      "2026-01-15T06:30:00-0530",
    ]) {
      expect(parseStamp(text)?.getTime()).toBe(noon);
    }
  });

  test("with an offset names the same instant as without", () => {
    const offsets = fc.integer({ min: -14 * 60, max: 14 * 60 });
    fc.assert(
      fc.property(instants, offsets, (date, offset) => {
        const local = new Date(wholeSecond(date) + offset * 60_000);
        fc.pre(local.getUTCFullYear() >= 100 && local.getUTCFullYear() <= 9999);
        const two = (n: number) => String(n).padStart(2, "0");
        const zone = `${offset < 0 ? "-" : "+"}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
        expect(parseStamp(`${local.toISOString().slice(0, 19)}${zone}`)?.getTime()).toBe(wholeSecond(date));
      }),
    );
  });

  test("is none where the text has another form", () => {
    for (const text of [
      "",
      "yesterday",
      "2026-01-15",
      "12:00:00",
      "2026-01-15 12:00",
      "2026-01-15 12:00:00 and more",
      "1768478400",
    ]) {
      expect(parseStamp(text)).toBeUndefined();
    }
  });

  test("is none where the calendar or the clock has no such moment", () => {
    for (const text of [
      "2026-13-01 00:00:00",
      "2026-02-30 00:00:00",
      "2026-00-10 00:00:00",
      "2026-01-01 25:00:00",
      "2026-01-01 00:61:00",
    ]) {
      expect(parseStamp(text)).toBeUndefined();
    }
  });

  test("of the first century stays there, as the Go program's empty time does", () => {
    expect(toStamp(parseStamp("0001-01-01T00:00:00Z") as Date)).toBe("0001-01-01 00:00:00");
  });

  test("never fails to be read, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        parseStamp(text);
        displayTime(text);
      }),
    );
  });
});

describe("a span of time", () => {
  test("in minutes is exact", () => {
    expect(toStamp(minutesBefore(new Date("2026-01-01T00:10:00Z"), 15))).toBe("2025-12-31 23:55:00");
  });

  test("in months keeps the day where the month has it", () => {
    const early = fc.tuple(
      fc.integer({ min: 1970, max: 2100 }),
      fc.integer({ min: 0, max: 11 }),
      fc.integer({ min: 1, max: 28 }),
    );
    fc.assert(
      fc.property(early, fc.integer({ min: 0, max: 48 }), ([year, month, day], months) => {
        const later = monthsAfter(new Date(Date.UTC(year, month, day, 5, 6, 7)), months);
        expect(later.getTime()).toBe(Date.UTC(year, month + months, day, 5, 6, 7));
      }),
    );
  });

  test("in months runs over into the next where the day is missing", () => {
    expect(toStamp(monthsAfter(new Date("2025-08-31T10:00:00Z"), 6))).toBe("2026-03-03 10:00:00");
  });

  test("leaves the date it started from alone", () => {
    const start = new Date("2026-01-01T00:00:00Z");
    monthsAfter(start, 3);
    minutesBefore(start, 3);
    expect(start.toISOString()).toBe("2026-01-01T00:00:00.000Z");
  });
});

describe("a time for people", () => {
  test("is in the zone they chose", () => {
    expect(displayTime("2026-07-01 22:30:00", "Europe/Madrid")).toBe("2026-07-02 00:30:00");
    expect(displayTime("2026-01-15T12:00:00Z", "Asia/Kolkata")).toBe("2026-01-15 17:30:00");
  });

  test("is the stored one in UTC", () => {
    const modern = fc.date({ min: new Date("1970-01-01T00:00:00Z"), max: new Date("2999-12-31T23:59:59Z"), noInvalidDate: true });
    fc.assert(
      fc.property(modern, (date) => expect(displayTime(toStamp(date), "UTC")).toBe(toStamp(date))),
      { numRuns: 50 },
    );
  });

  test("is local without a zone, and with one that does not exist", () => {
    const date = new Date(Date.UTC(2026, 4, 6, 7, 8, 9));
    const two = (n: number) => String(n).padStart(2, "0");
    const local = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:08:09`;
    expect(displayTime("2026-05-06 07:08:09")).toBe(local);
    expect(displayTime("2026-05-06 07:08:09", "Atlantis/Centre")).toBe(local);
  });

  test("is the text itself where it is none", () => {
    expect(displayTime("long ago", "Europe/Madrid")).toBe("long ago");
  });
});

test("the system clock tells the present", () => {
  const before = Date.now();
  const now = systemClock.now().getTime();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});
