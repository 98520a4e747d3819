/**
 * Which descriptors of ours came from the shell. Node opens some for itself before we can look, and
 * marks all as its own (close-on-exec), so that they can only be told apart by what they are: Node has
 * event counters, and pipes of which it holds both ends.
 */
import fs from 'node:fs';
import tty from 'node:tty';

const STANDARD_FDS = [0, 1, 2];

function open(fd: number): fs.Stats | undefined {
  try {
    return fs.fstatSync(fd);
  } catch {
    return undefined;
  }
}

/** To be called early, before we open files. */
export function inheritedFds(): number[] {
  const found = new Map<number, fs.Stats>();
  const ends = new Map<number, number>();
  for (const name of fs.readdirSync('/proc/self/fd')) {
    const fd = Number(name);
    const stats = open(fd);
    if (stats === undefined) continue;
    found.set(fd, stats);
    if (stats.isFIFO()) ends.set(stats.ino, (ends.get(stats.ino) ?? 0) + 1);
  }
  const fromShell = (fd: number, stats: fs.Stats): boolean => {
    if (STANDARD_FDS.includes(fd) || stats.isFile()) return true;
    return stats.isFIFO() ? ends.get(stats.ino) === 1 : tty.isatty(fd);
  };
  return [...found].filter(([fd, stats]) => fromShell(fd, stats)).map(([fd]) => fd);
}
