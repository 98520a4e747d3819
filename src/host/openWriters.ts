/** Who has a file open to write to it: a recording without an end is still being made, or never will be. */
import fs from 'node:fs';

const ACCESS_MODE = 3;

/** The process, if it is one that we may look at; not ourselves. */
export function writerOf(path: string): number | undefined {
  const wanted = attempt(() => fs.statSync(path));
  if (wanted === undefined) return undefined;
  const processes = (attempt(() => fs.readdirSync('/proc')) ?? []).filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  const found = processes.find((pid) => (attempt(() => fs.readdirSync(`/proc/${pid}/fd`)) ?? []).some((fd) => {
    const open = attempt(() => fs.statSync(`/proc/${pid}/fd/${fd}`));
    return open?.ino === wanted.ino && open.dev === wanted.dev && isForWriting(pid, fd);
  }));
  return found === undefined ? undefined : Number(found);
}

function isForWriting(pid: string, fd: string): boolean {
  const flags = /^flags:\s*([0-7]+)/m.exec(attempt(() => fs.readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'latin1')) ?? '')?.[1];
  return flags !== undefined && (parseInt(flags, 8) & ACCESS_MODE) !== fs.constants.O_RDONLY;
}

/** Processes come and go, and those of others are none of our business. */
function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
