/**
 * Finds where compiled code and interpreter part. The same program runs twice, interpreted and
 * compiled, under a clock and a source of randomness that always say the same; every so many
 * instructions the state of CPU and memory is compared. If it differs, the first instruction count where it does
 * is searched by running again and again with a single stop: stopping more often would keep the code
 * from being compiled.
 */
import { createHash } from 'node:crypto';
import { NodeHost } from '../../src/host/nodeHost.js';
import type { Host, TimeSpec } from '../../src/host/host.js';
import { bytePathFromText } from '../../src/base/bytePath.js';
import { GPR, MXCSR, RIP, XMM } from '../../src/layout/cpuState.js';
import { createGuest, type Guest } from '../../src/linux/guest.js';
import { hex, PAGE_SIZE } from '../../src/base/types.js';
import { type AddressSpace, PROT } from '../../src/machine/addressSpace.js';
import type { Stop } from '../../src/machine/stop.js';
import { decodeOne } from '../../src/x86/translate.js';
import { ENVIRONMENT } from './invocation.js';

export interface LockstepOptions {
  /** Instructions between two comparisons. */
  readonly interval?: number;
  readonly hotThreshold?: number;
}

const FIXED_TIME: TimeSpec = { seconds: 1_700_000_000, nanoseconds: 0 };
/** Interpreters take the keys of their hash tables from the kernel otherwise. */
const SAME_HASHES = { PYTHONHASHSEED: '0', PERL_HASH_SEED: '0' };
const HISTORY = 100;

/** The machine we are on, but for what changes there from moment to moment, and our own output, which stays ours. */
function stillHost(): Host {
  const host: Host = new NodeHost();
  const usage = host.system.resourceUsage();
  return derive(host, {
    clock: derive(host.clock, { realtime: () => FIXED_TIME, monotonic: () => FIXED_TIME, boottime: () => FIXED_TIME, milliseconds: () => 0 }),
    system: derive(host.system, { resourceUsage: () => usage, memory: () => ({ total: 2 ** 32, free: 2 ** 31 }), loadAverages: () => [0, 0, 0] }),
    files: stillFiles(host.files),
    random: (target) => void target.fill(7),
  });
}

function stillFiles(files: Host['files']): Host['files'] {
  const random = new Set<number>();
  return derive(files, {
    open(path, flags, mode) {
      const fd = files.open(path, flags, mode);
      if (/^\/dev\/u?random$/.test(path)) random.add(fd);
      return fd;
    },
    read(fd, target, position) {
      if (!random.has(fd)) return files.read(fd, target, position);
      target.fill(7);
      return target.length;
    },
    write: (fd, bytes, position) => (fd <= 2 ? bytes.length : files.write(fd, bytes, position)),
    close(fd) {
      random.delete(fd);
      return fd <= 2 ? 0 : files.close(fd);
    },
  });
}

function derive<T extends object>(from: T, changes: Partial<T>): T {
  return Object.assign(Object.create(from) as T, changes);
}

type Observer = (guest: Guest, instructions: number) => boolean;

/** Thrown out of the kernel's loop when an observer has seen enough. */
class Enough extends Error {}

/** Runs the program and shows the observer its state at the given instruction counts, while it returns true. */
async function watch(argv: readonly string[], compiled: boolean, options: LockstepOptions, stops: Iterable<number>, observe: Observer): Promise<void> {
  const [program = '', ...args] = argv;
  const guest = createGuest(stillHost(), {
    program: bytePathFromText(program),
    args: args.map(bytePathFromText),
    environment: Object.entries({ ...ENVIRONMENT, ...SAME_HASHES }).map(([name, value]) => bytePathFromText(`${name}=${value}`)),
    engine: { noCompiler: !compiled, hotThreshold: options.hotThreshold ?? 30 },
  });
  const { engine } = guest;
  const iterator = stops[Symbol.iterator]();
  let next = iterator.next();
  const run = (most: number): Stop => {
    const until = next.done === true ? most : Math.min(most, next.value - engine.instructions);
    const stop = engine.run(until);
    if (next.done !== true && engine.instructions >= next.value) {
      if (!observe(guest, engine.instructions)) throw new Enough();
      next = iterator.next();
    }
    return stop;
  };
  guest.process.machine.engine = { run, get instructions() { return engine.instructions; }, requestStop: () => engine.requestStop() };
  try {
    await guest.world.run();
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
}

function* every(interval: number): Iterable<number> {
  for (let at = interval; ; at += interval) yield at;
}

function stateOf({ process: { cpu }, space }: Guest): string {
  const words = [RIP, ...GPR].map((slot) => `${slot.name} ${cpu.big(slot).toString(16)}`);
  const vectors = XMM.map(({ name, offset }) => `${name} ${Buffer.from(cpu.bytes().slice(offset, offset + 16)).toString('hex')}`);
  return [...words, `mxcsr ${cpu.lo(MXCSR).toString(16)}`, ...vectors, ...memoryOf(space)].join('\n');
}

/** A digest of every page that holds something and can be written. */
function memoryOf(space: AddressSpace): string[] {
  const digests: string[] = [];
  for (const { start, end, prot, shared } of space.mappings()) {
    if ((prot & PROT.WRITE) === 0 || shared) continue;
    for (let page: number = start; page < end; page += PAGE_SIZE) {
      const bytes = space.isResident(page) ? space.peek(page, PAGE_SIZE) : null;
      if (bytes?.some((byte) => byte !== 0)) digests.push(`page ${hex(page)} ${createHash('md5').update(bytes).digest('hex')}`);
    }
  }
  return digests;
}

async function stateAt(argv: readonly string[], compiled: boolean, options: LockstepOptions, at: number): Promise<string> {
  let state = 'ended before';
  await watch(argv, compiled, options, [at], (guest) => {
    state = stateOf(guest);
    return false;
  });
  return state;
}

/**
 * Null if the two agree to the end; otherwise an account of where they part. Programs must not need input from a pipe.
 */
export async function lockstep(argv: readonly string[], options: LockstepOptions = {}): Promise<string | null> {
  const interval = options.interval ?? 100_000;
  const states: string[] = [];
  await watch(argv, false, options, every(interval), (guest) => states.push(stateOf(guest)) > 0);
  let seen = 0;
  let differs = false;
  await watch(argv, true, options, every(interval), (guest) => {
    differs = stateOf(guest) !== states[seen];
    if (!differs) seen++;
    return !differs;
  });
  if (!differs && seen === states.length) return null;
  return describe(argv, options, await firstDifference(argv, options, seen * interval, (seen + 1) * interval));
}

async function firstDifference(argv: readonly string[], options: LockstepOptions, good: number, bad: number): Promise<number> {
  let [low, high] = [good, bad];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((await stateAt(argv, false, options, middle)) === (await stateAt(argv, true, options, middle))) low = middle;
    else high = middle;
  }
  return high;
}

async function describe(argv: readonly string[], options: LockstepOptions, at: number): Promise<string> {
  const interpreted = (await stateAt(argv, false, options, at)).split('\n');
  const compiled = (await stateAt(argv, true, options, at)).split('\n');
  const changes = interpreted.flatMap((line, i) => (line === compiled[i] ? [] : [`  interpreted ${line}, compiled ${compiled[i] ?? 'nothing'}`]));
  const history: string[] = [];
  const before = Array.from({ length: HISTORY }, (_, i) => at - HISTORY + i).filter((n) => n > 0);
  await watch(argv, false, options, before, ({ process, space }) => {
    const { rip } = process.cpu;
    history.push(`  ${hex(rip)} ${decodeOne(space.peek(rip, 15) ?? new Uint8Array(), rip).text}`);
    return true;
  });
  return [`parted after ${at} instructions:`, ...changes, 'the last ones were:', ...history].join('\n');
}
