// Repeating a thing and saying how long it took, by the clock and by the processor.

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

export interface Timing {
  p50: number;
  p95: number;
  /** Milliseconds of processor time a call, on average, this process only. */
  cpu: number;
  calls: number;
}

export interface Effort {
  /** Calls made even when each is slow. */
  least: number;
  most: number;
  budgetMs: number;
}

/** One untimed round warms caches and compiled code first. */
export async function time(call: (round: number) => unknown, effort: Effort): Promise<Timing> {
  for (let i = 0; i < Math.min(5, effort.least); i++) await call(i);
  const spent: number[] = [];
  const cpuBefore = process.cpuUsage();
  const end = performance.now() + effort.budgetMs;
  for (let i = 0; i < effort.most && (i < effort.least || performance.now() < end); i++) {
    const start = performance.now();
    await call(i);
    spent.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    p50: percentile(spent, 0.5),
    p95: percentile(spent, 0.95),
    cpu: (user + system) / 1000 / spent.length,
    calls: spent.length,
  };
}
