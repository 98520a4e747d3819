/**
 * Runs a program inside the test runner and keeps all that must be the same in the next run: output, status,
 * instructions, and a digest of the memory that each of its processes leaves behind.
 *
 * What the machine says only at the start (the time, whom the terminal belongs to) is fixed; everything else is as it
 * is, so that a look at the host's clock anywhere would show. Files are those of the sandbox.
 */
import { createHash, type Hash } from 'node:crypto';
import { bytePathFromText } from '../../src/base/bytePath.js';
import type { Host, HostFd, HostStat, TimeSpec } from '../../src/host/host.js';
import { NodeHost } from '../../src/host/nodeHost.js';
import { createSandbox } from '../../src/host/sandbox/sandbox.js';
import { createGuest } from '../../src/linux/guest.js';
import type { Process } from '../../src/linux/process.js';
import type { AddressSpace } from '../../src/machine/addressSpace.js';
import { PAGE_SIZE } from '../../src/base/types.js';
import { ENVIRONMENT } from '../table/invocation.js';

export interface Run {
  readonly stdout: string;
  readonly status: string;
  readonly instructions: number;
  readonly memory: string;
}

export interface RunSettings {
  readonly seed: number;
  /** Where the program finds itself; nothing there will change. */
  readonly directory: string;
  readonly interpreted?: boolean;
}

const START: TimeSpec = { seconds: 1_700_000_000, nanoseconds: 0 };
const STANDARD = [0, 1, 2];
const TIMEOUT = 120_000;
const PIPE: HostStat = {
  device: 13n, inode: 7n, mode: 0o010600, links: 1, uid: 0, gid: 0, specialDevice: 0n, size: 0, blockSize: 4096, blocks: 0,
  accessed: START, modified: START, changed: START, born: START,
};

function derive<T extends object>(from: T, changes: Partial<T>): T {
  return Object.assign(Object.create(from) as T, changes);
}

export function steadyHost(directory: string, say: (text: string) => void): Host {
  const host = new NodeHost();
  return derive<Host>(host, {
    clock: derive(host.clock, { realtime: () => START, monotonic: () => START, boottime: () => START }),
    terminal: derive(host.terminal, { isTerminal: () => false, foregroundGroup: () => 0 }),
    signals: { listen: () => () => undefined, send: (pid, signal) => host.signals.send(pid, signal) },
    environment: () => Object.entries(ENVIRONMENT).map(([name, value]) => bytePathFromText(`${name}=${value}`)),
    files: derive(host.files, {
      inherited: () => STANDARD as HostFd[],
      describe: (fd) => (STANDARD.includes(fd) ? { flags: fd === 0 ? 0 : 1, offset: 0 } : host.files.describe(fd)),
      workingDirectory: () => bytePathFromText(directory),
      read: (fd, target, position) => (fd === 0 ? 0 : host.files.read(fd, target, position)),
      write(fd, bytes, position) {
        if (!STANDARD.includes(fd)) return host.files.write(fd, bytes, position);
        say(Buffer.from(bytes).toString('latin1'));
        return bytes.length;
      },
      // What the test runner's own streams are is nothing to the guest: to it they are pipes.
      statFd: (fd) => (STANDARD.includes(fd) ? PIPE : host.files.statFd(fd)),
      close: (fd) => (STANDARD.includes(fd) ? 0 : host.files.close(fd)),
    }),
  });
}

export async function steadyRun(program: string, args: readonly string[], settings: RunSettings): Promise<Run> {
  let stdout = '';
  const memory = createHash('sha256');
  const sandbox = createSandbox(steadyHost(settings.directory, (text) => (stdout += text)), { now: () => START });
  const guest = createGuest(sandbox, {
    program: bytePathFromText(program),
    args: args.map(bytePathFromText),
    environment: sandbox.environment(),
    world: { scheduleSeed: settings.seed, timeout: TIMEOUT, onEnd: (process) => digest(process, memory) },
    engine: { noCompiler: settings.interpreted ?? false },
  });
  const status = await guest.world.run();
  const { instructions, ending } = guest.world;
  sandbox.dispose();
  const how = ending === undefined ? JSON.stringify(status, (key, value: unknown) => (key === 'info' ? undefined : value)) : `${ending.reason}: ${ending.tasks.join('; ')}`;
  return { stdout, status: how, instructions, memory: memory.digest('hex') };
}

/** Every page that holds something, with its address. */
function digest({ pid, space }: Process, into: Hash): void {
  into.update(`process ${pid}\n`);
  for (const page of pagesOf(space)) {
    const bytes = space.peek(page, PAGE_SIZE);
    if (bytes !== null && bytes.some((byte) => byte !== 0)) into.update(`${page}\n`).update(bytes);
  }
}

function* pagesOf(space: AddressSpace): Iterable<number> {
  for (const { start, end } of space.mappings()) {
    for (let page: number = start; page < end; page += PAGE_SIZE) if (space.isResident(page)) yield page;
  }
}
