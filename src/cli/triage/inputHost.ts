/**
 * The host that a program runs on with one input: the sandbox over this machine, with the input as its standard input
 * or as a file, and nothing of the user's own: no terminal, no streams, no signals. Many of them run in one process, at
 * the same time, each in a thread of its own.
 */
import fs from 'node:fs';
import { bytePathFromText, type BytePath } from '../../base/bytePath.js';
import { E } from '../../base/errno.js';
import { O } from '../../base/fileConstants.js';
import type { Host, HostFd, HostFiles, HostTerminal } from '../../host/host.js';
import { createSandbox, type Sandbox } from '../../host/sandbox/sandbox.js';
import { RLIMIT } from '../../linux/limits.js';

interface InputStreams {
  readonly directory: string;
  /** Where standard input comes from. */
  readonly stdin: string;
  readonly megabytes: number;
}

const STANDARD_FDS = [0, 1, 2] as HostFd[];
const MEGABYTE = 2 ** 20;
/** Where the password of a queue may be: not a program's business. */
const SECRET = 'CULPRIT_REDIS_PASSWORD=';

export interface InputHost extends Sandbox {
  /** Makes a file that only this run sees. */
  plant(path: string, content: Uint8Array): void;
}

export function createInputHost(machine: Host, { directory, stdin, megabytes }: InputStreams): InputHost {
  const nothing = fs.openSync('/dev/null', 'r+');
  const streams = [fs.openSync(stdin, 'r'), nothing, nothing] as HostFd[];
  const limit = megabytes * MEGABYTE;
  const host: Host = Object.assign(Object.create(machine) as Host, {
    files: filesWith(machine.files, streams, bytePathFromText(directory)),
    terminal: NO_TERMINAL,
    // Users change in the sandbox alone: the rights of a process are the same for all of its threads.
    identity: { ...machine.identity, actAs: () => undefined },
    system: Object.assign(Object.create(machine.system) as Host['system'], { limits: () => limitsWithin(machine.system.limits(), limit) }),
    signals: { listen: () => () => undefined, send: () => -E.SRCH },
    job: undefined,
    environment: () => machine.environment().filter((entry) => !entry.startsWith(SECRET)),
    notify: () => undefined,
  });
  const sandbox = createSandbox(host, { limit });
  return Object.assign(Object.create(sandbox) as Sandbox, {
    plant: (path: string, content: Uint8Array) => plant(sandbox.files, path, content),
    dispose() {
      sandbox.dispose();
      for (const fd of new Set(streams)) closeIfOpen(fd);
    },
  });
}

/** The sandbox closes some of them when its guest does. */
function closeIfOpen(fd: number): void {
  try {
    fs.closeSync(fd);
  } catch {
    // It is closed.
  }
}

/** The standard streams are others than those of our process. */
function filesWith(files: HostFiles, streams: readonly HostFd[], directory: BytePath): HostFiles {
  const real = (fd: HostFd): HostFd => streams[fd] ?? fd;
  const own: Partial<HostFiles> = {
    inherited: () => STANDARD_FDS,
    workingDirectory: () => directory,
    close: (fd) => (fd < streams.length ? 0 : files.close(fd)),
    read: (fd, target, position) => files.read(real(fd), target, position),
    write: (fd, bytes, position) => (fd < streams.length ? bytes.length : files.write(fd, bytes, position)),
    describe: (fd) => files.describe(real(fd)),
    setOffset: (fd, offset) => files.setOffset(real(fd), offset),
    pathOfFd: (fd) => files.pathOfFd(real(fd)),
    statFd: (fd) => files.statFd(real(fd)),
    truncateFd: (fd, size) => files.truncateFd(real(fd), size),
    sync: (fd) => files.sync(real(fd)),
    open: (path, flags, mode) => (path === '/dev/tty' ? -E.NXIO : files.open(path, flags, mode)),
  };
  return Object.assign(Object.create(files) as HostFiles, own);
}

const NO_TERMINAL: HostTerminal = {
  isTerminal: () => false,
  attributes: () => -E.NOTTY,
  setAttributes: () => -E.NOTTY,
  windowSize: () => -E.NOTTY,
  foregroundGroup: () => 0,
};

function limitsWithin(limits: ReturnType<Host['system']['limits']>, bytes: number): ReturnType<Host['system']['limits']> {
  return limits.map((one, i) => (i === RLIMIT.AS ? { soft: Math.min(one.soft, bytes), hard: Math.min(one.hard, bytes) } : one));
}

function plant(files: HostFiles, path: string, content: Uint8Array): void {
  const parts = path.split('/').slice(1, -1);
  for (let i = 1; i <= parts.length; i++) files.makeDirectory(bytePathFromText(`/${parts.slice(0, i).join('/')}`), 0o755);
  const fd = files.open(bytePathFromText(path), O.CREAT | O.WRONLY | O.TRUNC, 0o644);
  if (fd < 0) return;
  for (let done = 0; done < content.length; ) {
    const count = files.write(fd as HostFd, content.subarray(done), done);
    if (count <= 0) break;
    done += count;
  }
  files.close(fd as HostFd);
}
