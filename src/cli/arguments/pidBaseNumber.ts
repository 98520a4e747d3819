/** The number of a run's first process, as the user gives it. */

/** Below the first process are its parent, group and session; above it, what Linux gives out at most. */
export const [LEAST_BASE, MOST_BASE] = [100, 4_190_000];

/** Undefined if it is none. */
export function parsePidBase(text: string): number | undefined {
  const base = Number(text);
  return /^\d+$/.test(text) && base >= LEAST_BASE && base <= MOST_BASE ? base : undefined;
}
