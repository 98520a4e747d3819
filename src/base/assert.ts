/** Broken invariants: bugs of ours, never the user's or the guest's fault. */
export class InvariantError extends Error {
  override name = 'InvariantError';
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

export function unreachable(message: string): never {
  throw new InvariantError(message);
}

/** For the default branch of a switch over a closed union. */
export function assertNever(value: never): never {
  throw new InvariantError(`unexpected value ${String(value)}`);
}
