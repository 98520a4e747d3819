/**
 * Records a program inside the test runner, and replays what was recorded. Both give all that must be
 * the same: output, instructions, how each process ended. Registers are compared at every event, memory
 * at those that carry a hash, by the player itself.
 */
import { bytePathFromText } from '../../src/base/bytePath.js';
import type { Host, HostFd, HostStat, TimeSpec } from '../../src/host/host.js';
import { checksum, deflate, inflate } from '../../src/host/nodeCompression.js';
import { NodeHost } from '../../src/host/nodeHost.js';
import { buildCoreModule } from '../../src/jit/coreModule.js';
import { createGuest } from '../../src/linux/guest.js';
import { DEFAULT_ENGINE_OPTIONS } from '../../src/machine/engineOptions.js';
import { MemorySource } from '../../src/replay/format/testing/memorySource.js';
import { MemorySink } from '../../src/replay/format/testing/memorySink.js';
import { RecordingReader } from '../../src/replay/format/recordingReader.js';
import { Player } from '../../src/replay/play/player.js';
import { Recorder } from '../../src/replay/record/recorder.js';
import type { RecordingTarget } from '../../src/replay/record/recordingTarget.js';
import { FileTarget } from '../../src/replay/recordingFile/fileTarget.js';
import { openRecording, type Recording } from '../../src/replay/recordingFile/openRecording.js';
import { EVENTS_VERSION } from '../../src/replay/recordingFile/recordingHeader.js';
import { ENVIRONMENT } from '../table/invocation.js';

export interface RunSettings {
  readonly seed?: number;
  readonly stdin?: Uint8Array;
  readonly environment?: Readonly<Record<string, string>>;
  readonly interpreted?: boolean;
  /** Something of ours throws when the program asks for a time stamp. */
  readonly breaks?: boolean;
  /** The recorder's clock, which decides how often it hands something over. */
  readonly now?: () => number;
  /** Who records. Default: one that often notes a hash of all memory. */
  readonly recorder?: (target: RecordingTarget) => Recorder;
}

export interface Outcome {
  /** What was written to descriptor 1 and so on, one character a byte, in order. */
  readonly output: readonly string[];
  readonly instructions: number;
  /** By process, in the order of their ends: code and signal. */
  readonly ends: readonly string[];
}

export interface LiveRun {
  readonly outcome: Outcome;
  /** The recording's file. */
  readonly bytes: Uint8Array;
}

/** Made once; V8 does not compile the same bytes again as long as a module of them is alive. */
const coreModule = buildCoreModule();
export const KEPT = new WebAssembly.Module(coreModule);
const STANDARD = [0, 1, 2];
const TIMEOUT = process.env['CULPRIT_LONG'] === '1' ? 600_000 : 120_000;
/** Instructions between two comparisons of all memory. */
const HASH_INTERVAL = process.env['CULPRIT_LONG'] === '1' ? 2000 : 50_000;
const NO_TIME: TimeSpec = { seconds: 0, nanoseconds: 0 };
const PIPE: HostStat = {
  device: 13n, inode: 7n, mode: 0o010600, links: 1, uid: 0, gid: 0, specialDevice: 0n, size: 0, blockSize: 4096, blocks: 0,
  accessed: NO_TIME, modified: NO_TIME, changed: NO_TIME, born: NO_TIME,
};

export async function recordRun(argv: readonly string[], settings: RunSettings = {}): Promise<LiveRun> {
  const output: string[] = [];
  const ends: string[] = [];
  const host = ownStreams(new NodeHost(), settings.stdin ?? new Uint8Array(), (fd, text) => output.push(`${fd}: ${text}`));
  const sink = new MemorySink({ deflate, checksum });
  const target = new FileTarget(expectNever);
  const recorder = settings.recorder?.(target) ?? new Recorder(target, settings.now ?? (() => performance.now()), HASH_INTERVAL);
  const [program = '', ...args] = argv.map(bytePathFromText);
  const environment = Object.entries({ ...ENVIRONMENT, ...settings.environment }).map(([name, value]) => bytePathFromText(`${name}=${value}`));
  const scheduleSeed = settings.seed ?? 0;
  const { world } = createGuest(host, {
    program: bytePathFromText(program), args, environment,
    world: {
      scheduleSeed, timeout: TIMEOUT, witness: recorder,
      onEnd: ({ exitStatus }) => void ends.push(exitStatus?.kind === 'exited' ? `${exitStatus.code} 0` : `0 ${exitStatus?.signal}`),
    },
    engine: { noCompiler: settings.interpreted ?? false, coreModule, ...(settings.breaks === true ? { timeStamp: breakOff } : {}) },
  });
  target.open(sink, {
    eventsVersion: EVENTS_VERSION, culprit: 'test', program, args, cwd: '/', environment, scheduleSeed,
    startSeconds: world.clock.startSeconds, date: '', host: { kernel: '', uid: 0, gid: 0 },
  });
  const status = await world.run().catch((error: unknown) => {
    if (error instanceof BrokenOff) return undefined;
    throw error;
  });
  // Guests may have become another user, and we with them.
  host.identity.actAs({ uid: host.identity.uid, gid: host.identity.gid, groups: host.identity.groups });
  if (world.ending !== undefined) throw new Error(`${world.ending.reason}: ${world.ending.tasks.join('; ')}`);
  recorder.finish();
  await target.close(status === undefined ? undefined : {
    ending: status.kind === 'exited' ? { how: 'exited', code: status.code } : { how: 'signaled', signal: status.signal },
    instructions: world.instructions, seconds: world.clock.now() / 1e9,
    events: recorder.count, threads: recorder.threads, processes: recorder.processCount, signals: recorder.signals,
  });
  return { outcome: { output: joined(output), instructions: world.instructions, ends }, bytes: sink.bytes() };
}

export function openBytes(bytes: Uint8Array): Recording {
  return openRecording(RecordingReader.open(new MemorySource(bytes), { inflate, checksum }), 'recording');
}

/** Plays to the end. Throws if anything is not as it was. */
export function replayRun(bytes: Uint8Array, interpreted = false): Outcome {
  return replayRecording(openBytes(bytes), interpreted);
}

export function replayRecording({ log, blobs, header }: Recording, interpreted = false): Outcome {
  const player = new Player({ log, blobs, engine: { ...DEFAULT_ENGINE_OPTIONS, noCompiler: interpreted, coreModule }, startSeconds: header.startSeconds });
  const output: string[] = [];
  const ends: string[] = [];
  player.onNote = (note) => {
    if (note.op === 'output') output.push(`${note.fd}: ${Buffer.from(note.bytes).toString('latin1')}`);
    else if (note.op === 'processEnd') ends.push(`${note.code} ${note.signal}`);
  };
  player.advance(Infinity);
  return { output: joined(output), instructions: player.time, ends };
}

/** What one descriptor got in several pieces is one text. */
function joined(pieces: readonly string[]): string[] {
  const result: string[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (last?.slice(0, 3) === piece.slice(0, 3)) result[result.length - 1] = last + piece.slice(3);
    else result.push(piece);
  }
  return result;
}

class BrokenOff extends Error {}

function breakOff(): never {
  throw new BrokenOff();
}

function expectNever(reason: string): void {
  throw new Error(reason);
}

function derive<T extends object>(from: T, changes: Partial<T>): T {
  return Object.assign(Object.create(from) as T, changes);
}

/** This machine, but the standard streams are the test's. To the guest they are pipes. */
function ownStreams(host: NodeHost, stdin: Uint8Array, say: (fd: number, text: string) => void): Host {
  let at = 0;
  const isStandard = (fd: number): boolean => STANDARD.includes(fd);
  return derive<Host>(host, {
    terminal: derive(host.terminal, { isTerminal: () => false, foregroundGroup: () => 0 }),
    signals: { listen: () => () => undefined, send: (pid, signal) => host.signals.send(pid, signal) },
    notify: () => undefined,
    files: derive(host.files, {
      inherited: () => STANDARD as HostFd[],
      describe: (fd) => (isStandard(fd) ? { flags: fd === 0 ? 0 : 1, offset: 0 } : host.files.describe(fd)),
      read(fd, target, position) {
        if (fd !== 0) return host.files.read(fd, target, position);
        const part = stdin.subarray(at, at + target.length);
        target.set(part);
        at += part.length;
        return part.length;
      },
      write(fd, bytes, position) {
        if (!isStandard(fd)) return host.files.write(fd, bytes, position);
        say(fd, Buffer.from(bytes).toString('latin1'));
        return bytes.length;
      },
      statFd: (fd) => (isStandard(fd) ? PIPE : host.files.statFd(fd)),
      close: (fd) => (isStandard(fd) ? 0 : host.files.close(fd)),
    }),
  });
}
