/** These bytes are no zstd frame, or a damaged one. */
export class ZstdError extends Error {
  override readonly name = 'ZstdError';
}

export function fail(problem: string): never {
  throw new ZstdError(`zstd: ${problem}`);
}
