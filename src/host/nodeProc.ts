/** What the host's /proc tells about ourselves and our parent. */
import fs from 'node:fs';

const INIT = 1;

function readText(path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

interface ProcessStat {
  readonly processGroup: number;
  readonly session: number;
  readonly foregroundGroup: number;
}

export function processStat(pid: number | 'self'): ProcessStat {
  const fields = statFields(pid).map(Number);
  return { processGroup: fields[2] ?? 0, session: fields[3] ?? 0, foregroundGroup: fields[5] ?? 0 };
}

/** One letter: T for one that is stopped. */
export function processState(pid: number): string {
  return statFields(pid)[0] ?? '';
}

/**
 * Whether no process looks after our process group, as the kernel decides it: no member has a parent in the session,
 * but in another group.
 */
export function isOrphanedGroup(): boolean {
  const { processGroup, session } = processStat('self');
  for (const name of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || processStat(Number(name)).processGroup !== processGroup) continue;
    const parent = Number(statFields(Number(name))[1] ?? 0);
    if (parent <= INIT) continue;
    const theirs = processStat(parent);
    if (theirs.session === session && theirs.processGroup !== processGroup) return false;
  }
  return true;
}

/** Those behind the name, which is in parentheses and may hold anything. */
function statFields(pid: number | 'self'): string[] {
  const text = readText(`/proc/${pid}/stat`) ?? '';
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Whose a process or thread is. */
export function processOwner(pid: number): { realUid: number; savedUid: number; session: number } | undefined {
  const ids = /^Uid:\t(\d+)\t\d+\t(\d+)/m.exec(readText(`/proc/${pid}/status`) ?? '');
  return ids === null ? undefined : { realUid: Number(ids[1]), savedUid: Number(ids[2]), session: processStat(pid).session };
}

const MOST_ANCESTORS = 100;

/** Whether a number is that of a thread of ours, or of a process that descends from us. */
export function isOurProcess(pid: number): boolean {
  if (pid === process.pid || fs.existsSync(`/proc/self/task/${pid}`)) return true;
  for (let ancestor = pid, i = 0; ancestor > 1 && i < MOST_ANCESTORS; i++) {
    ancestor = Number(statFields(ancestor)[1] ?? 0);
    if (ancestor === process.pid) return true;
  }
  return false;
}

export function uptimeSeconds(): number {
  return Number(readText('/proc/uptime')?.split(' ')[0] ?? 0);
}

export function domainName(): string {
  return readText('/proc/sys/kernel/domainname')?.trim() ?? '(none)';
}

/** Unlike Node's list, which has the effective group as well. */
export function supplementaryGroups(): number[] | undefined {
  const line = /^Groups:(.*)$/m.exec(readText('/proc/self/status') ?? '')?.[1];
  return line?.split(/\s+/).filter((field) => field !== '').map(Number);
}

export function ownMappings(): string | undefined {
  return readText('/proc/self/maps');
}

/** Raw `NAME=value` strings, one character per byte. */
export function rawEnvironment(): string[] | undefined {
  return readText('/proc/self/environ')?.split('\0').filter((entry) => entry !== '');
}

interface Limit {
  readonly soft: number;
  readonly hard: number;
}

/** Lines of /proc/PID/limits in the order of the RLIMIT_* numbers. */
const LIMIT_NAMES = [
  'cpu time', 'file size', 'data size', 'stack size', 'core file size', 'resident set', 'processes', 'open files',
  'locked memory', 'address space', 'file locks', 'pending signals', 'msgqueue size', 'nice priority',
  'realtime priority', 'realtime timeout',
];
const OPEN_FILES = 7;

function limitValue(text: string | undefined): number {
  return text === undefined || text === 'unlimited' ? Infinity : Number(text);
}

export function parseLimits(text: string): Limit[] {
  return LIMIT_NAMES.map((name) => {
    const fields = new RegExp(`^Max ${name} +(\\S+) +(\\S+)`, 'm').exec(text);
    return { soft: limitValue(fields?.[1]), hard: limitValue(fields?.[2]) };
  });
}

/** Node raises its own limit of open files when it starts, so that one is our parent's. */
export function inheritedLimits(parentPid: number): Limit[] {
  const limits = parseLimits(readText('/proc/self/limits') ?? '');
  const parent = readText(`/proc/${parentPid}/limits`);
  const files = parent === undefined ? undefined : parseLimits(parent)[OPEN_FILES];
  if (files !== undefined) limits[OPEN_FILES] = files;
  return limits;
}
