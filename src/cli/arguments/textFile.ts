/** Texts that the user names: rules, suppressions, commands. A pipe is fine; what never ends is not. */
import fs from 'node:fs';

const LONGEST_TEXT = 16 * 1024 * 1024;
const PIECE = 64 * 1024;

/** Throws what the system says, and a RangeError that says the limit for what is longer. */
export function readTextFile(path: string, most = LONGEST_TEXT): string {
  const fd = fs.openSync(path, 'r');
  try {
    const pieces: Buffer[] = [];
    for (let total = 0; ; ) {
      const piece = Buffer.allocUnsafe(PIECE);
      const count = fs.readSync(fd, piece);
      if (count === 0) return Buffer.concat(pieces).toString('utf8');
      total += count;
      if (total > most) throw new RangeError(`longer than ${most / 1024 / 1024} MiB`);
      pieces.push(piece.subarray(0, count));
    }
  } finally {
    fs.closeSync(fd);
  }
}
