// Time as the store writes it: UTC, whole seconds, `YYYY-MM-DD HH:MM:SS`. Injected so that tests own the clock.

export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

export const toStamp = (date: Date): string => date.toISOString().slice(0, 19).replace("T", " ");

export const minutesBefore = (date: Date, minutes: number): Date => new Date(date.getTime() - minutes * 60_000);

/** Calendar months; a day that the target month lacks runs over into the next, as the Go program's dates do. */
export function monthsAfter(date: Date, months: number): Date {
  const later = new Date(date);
  later.setUTCMonth(later.getUTCMonth() + months);
  return later;
}

const STAMP = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|([+-])(\d\d):?(\d\d))?$/;

/** A stored or received time; undefined when the text is none, or no such moment exists. Text without a zone is UTC. */
export function parseStamp(text: string): Date | undefined {
  const found = STAMP.exec(text.trim());
  if (!found) return undefined;
  const [, year, month, day, hour, minute, second, sign, offsetHours, offsetMinutes] = found;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  const written = `${year}-${month}-${day} ${hour}:${minute}:${second}`;
  if (Number.isNaN(date.getTime()) || toStamp(date) !== written) return undefined;
  if (sign) date.setTime(date.getTime() - (sign === "-" ? -1 : 1) * (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000);
  return date;
}

/** For people: the stored time in their zone. Unparseable text and unknown zones fall back instead of failing. */
export function displayTime(stamp: string, timeZone?: string): string {
  const date = parseStamp(stamp);
  if (!date) return stamp;
  if (timeZone) {
    try {
      return new Intl.DateTimeFormat("sv-SE", {
        timeZone,
        year: "numeric",
        month: "2-digit",
        day: "2-digit",
        hour: "2-digit",
        minute: "2-digit",
        second: "2-digit",
        hourCycle: "h23",
      }).format(date);
    } catch {
      // an unknown zone name: show local time
    }
  }
  const two = (n: number) => String(n).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
