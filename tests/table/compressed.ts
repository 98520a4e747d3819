/** Inputs for decompressors, made by the real compressors. */
import { execFileSync } from 'node:child_process';

function compressor(program: string, ...args: string[]): (input: string | Uint8Array) => Uint8Array {
  return (input) => execFileSync(program, args, { input, maxBuffer: 2 ** 28 });
}

export const gzip = compressor('gzip', '-n');
export const bzip2 = compressor('bzip2');
export const xz = compressor('xz', '-T1');
export const zstd = compressor('zstd', '-q');
