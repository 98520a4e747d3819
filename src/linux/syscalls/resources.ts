/** Limits and use of resources, facts about the machine, randomness. */
import { E } from '../../base/errno.js';
import { PAGE_SIZE } from '../../base/types.js';
import { bytesOfBytePath } from '../../base/bytePath.js';
import { type Limit, RLIMIT } from '../limits.js';
import { memoryThereIs } from '../proc/memInfo.js';
import type { Process } from '../process.js';
import { writeUsage as writeUsageOfEnded } from '../processes/usage.js';
import type { SyscallFamily } from '../syscall.js';
import { structAt } from './statStructs.js';

const UTSNAME_FIELD = 65;
const SYSINFO_SIZE = 112;
const RUSAGE_SIZE = 144;
const RUSAGE_CHILDREN = -1;
const RUSAGE_THREAD = 1;
const GRND_KNOWN = 7;
/** GRND_RANDOM and GRND_INSECURE. */
const GRND_CONTRADICTION = 6;
const TWO_64 = 2 ** 64;
/** Load averages have 16 bits of fraction. */
const LOAD_SCALE = 65536;

function readLimit(p: Process, address: number): Limit {
  const value = (at: number): number => {
    const n = p.space.readNum64(at);
    // All ones: RLIM_INFINITY, which a double rounds up.
    return n >= TWO_64 ? Infinity : n;
  };
  return { soft: value(address), hard: value(address + 8) };
}

function writeLimit(p: Process, address: number, limit: Limit): void {
  const put = (at: number, n: number): void => p.space.writeNum64(at, n === Infinity ? -1 : n);
  put(address, limit.soft);
  put(address + 8, limit.hard);
}

function setLimit(p: Process, resource: number, limit: Limit): number {
  const result = p.limits.set(resource, limit, p.credentials.privileged);
  if (result === 0 && resource === RLIMIT.STACK) p.space.stackLimit = limit.soft;
  return result;
}

function known(resource: number): boolean {
  return resource >= 0 && resource <= RLIMIT.RTTIME;
}

function isSelf(p: Process, pid: number): boolean {
  return pid === 0 || pid === p.pid || p.tasks.some(({ tid }) => tid === pid);
}

function writeUsage(p: Process, address: number, who: number): void {
  if (who === RUSAGE_CHILDREN) {
    writeUsageOfEnded(p, address, p.family.childrenTime, p.family.childrenPeakBytes);
    return;
  }
  const time = who === RUSAGE_THREAD ? p.task.instructions : p.cpuTime;
  const view = structAt(p, address, RUSAGE_SIZE);
  const put = (at: number, value: number): void => view.setBigInt64(at, BigInt(Math.floor(value)), true);
  put(0, time / 1e9);
  put(8, (time % 1e9) / 1e3);
  put(32, p.space.peakResidentBytes / 1024);
  put(64, p.space.peakResidentBytes / PAGE_SIZE);
}

export const resourceCalls: SyscallFamily = {
  getrlimit(p, a) {
    if (!known(a.int(0))) return -E.INVAL;
    writeLimit(p, a.addr(1), p.limits.get(a.int(0)));
    return 0;
  },

  setrlimit(p, a) {
    if (!known(a.int(0))) return -E.INVAL;
    return setLimit(p, a.int(0), readLimit(p, a.addr(1)));
  },

  prlimit64(p, a) {
    if (!isSelf(p, a.int(0))) return -E.SRCH;
    const [resource, newAt, oldAt] = [a.int(1), a.addr(2), a.addr(3)];
    if (!known(resource)) return -E.INVAL;
    const wanted = newAt === 0 ? undefined : readLimit(p, newAt);
    if (oldAt !== 0) writeLimit(p, oldAt, p.limits.get(resource));
    return wanted === undefined ? 0 : setLimit(p, resource, wanted);
  },

  getrusage(p, a) {
    const who = a.int(0);
    if (who < RUSAGE_CHILDREN || who > RUSAGE_THREAD) return -E.INVAL;
    writeUsage(p, a.addr(1), who);
    return 0;
  },

  uname(p, a) {
    const { name, node, release, version, machine, domain } = p.host.system.kernel;
    const bytes = new Uint8Array(UTSNAME_FIELD * 6);
    [name, node, release, version, machine, domain].forEach((text, i) => {
      bytes.set(bytesOfBytePath(text.slice(0, UTSNAME_FIELD - 1)), i * UTSNAME_FIELD);
    });
    p.space.write(a.addr(0), bytes);
    return 0;
  },

  sysinfo(p, a) {
    const view = structAt(p, a.addr(0), SYSINFO_SIZE);
    const { total, free } = memoryThereIs(p);
    const put = (at: number, value: number): void => view.setBigInt64(at, BigInt(Math.floor(value)), true);
    put(0, p.clock.boottime().seconds);
    p.host.system.loadAverages().forEach((load, i) => put(8 + i * 8, load * LOAD_SCALE));
    put(32, total);
    put(40, free);
    view.setUint16(80, 1, true);
    view.setUint32(104, 1, true);
    return 0;
  },

  getrandom(p, a) {
    const flags = a.uint(2);
    if ((flags & ~GRND_KNOWN) !== 0 || (flags & GRND_CONTRADICTION) === GRND_CONTRADICTION) return -E.INVAL;
    return p.space.fill(a.addr(0), Math.min(a.addr(1), 0x1ff_ffff), (target) => {
      p.host.random(target);
      return target.length;
    });
  },
};
