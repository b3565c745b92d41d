// Random numbers that are the same in every run: a seeded generator and the skewed choice that language shows.

export interface Random {
  /** In [0, 1). */
  next(): number;
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** Early entries more often than late ones: Zipf's law without its first ranks, which in language are words like "the". */
  skewed<T>(list: readonly T[]): T;
  hex(digits: number): string;
}

const RANKS_LEFT_OUT = 8;
const sums = new Map<number, Float64Array>();

function harmonicSums(length: number): Float64Array {
  let found = sums.get(length);
  if (!found) {
    found = new Float64Array(length);
    for (let i = 0, sum = 0; i < length; i++) found[i] = sum += 1 / (i + 1 + RANKS_LEFT_OUT);
    sums.set(length, found);
  }
  return found;
}

function skewedIndex(length: number, at: number): number {
  const table = harmonicSums(length);
  const wanted = at * (table[length - 1] as number);
  let low = 0;
  for (let high = length - 1; low < high; ) {
    const middle = (low + high) >> 1;
    if ((table[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** mulberry32 */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: <T>(list: readonly T[]) => list[below(list.length)] as T,
    skewed: <T>(list: readonly T[]) => list[skewedIndex(list.length, next())] as T,
    hex: (digits) => Array.from({ length: digits }, () => below(16).toString(16)).join(""),
  };
}
