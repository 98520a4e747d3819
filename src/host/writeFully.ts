/** A write may store less than it was given, for example the last block of a full disk. */
import fs from 'node:fs';

/** Throws what the system says if not all can be written. */
export function writeFully(fd: number, parts: readonly Uint8Array[]): void {
  let rest = parts.filter(({ length }) => length > 0);
  while (rest.length > 0) rest = after(rest, fs.writevSync(fd, rest));
}

function after(parts: readonly Uint8Array[], written: number): Uint8Array[] {
  let skip = written;
  return parts.flatMap((part) => {
    const left = part.subarray(Math.min(skip, part.length));
    skip -= part.length - left.length;
    return left.length > 0 ? [left] : [];
  });
}
