/** Recordings in memory, for tests: a program is run, and what it was at some moments is remembered. */
import { bytePathFromText } from '../../src/base/bytePath.js';
import type { Host, HostFiles } from '../../src/host/host.js';
import { NodeHost } from '../../src/host/nodeHost.js';
import { createGuest } from '../../src/linux/guest.js';
import type { Interceptor } from '../../src/linux/interception.js';
import type { ExitStatus } from '../../src/linux/kernel.js';
import { readEflags } from '../../src/linux/signals/eflags.js';
import type { Task } from '../../src/linux/tasks/task.js';
import type { AddressSpace } from '../../src/machine/addressSpace.js';
import type { Cpu } from '../../src/machine/cpu.js';
import { DEFAULT_ENGINE_OPTIONS, type EngineOptions } from '../../src/machine/engineOptions.js';
import { type Instrumentation, PLAIN } from '../../src/machine/instrumentation.js';
import { SpaceHashers } from '../../src/machine/snapshots/hashSpace.js';
import type { Stop } from '../../src/machine/stop.js';
import { GPR, RIP, XMM } from '../../src/layout/cpuState.js';
import type { Player } from '../../src/replay/play/player.js';
import type { TimelineOptions } from '../../src/replay/timeline/timeline.js';
import { MemoryRecording } from '../../src/replay/record/memoryRecording.js';
import { Recorder } from '../../src/replay/record/recorder.js';
import { inOwnFolder } from './ownFolder.js';

/** What the running program was when it stopped. */
export interface Moment {
  readonly time: number;
  /** Events at the same time before it. */
  readonly done: number;
  readonly hash: string;
}

export interface Recorded {
  readonly status: ExitStatus;
  readonly instructions: number;
  readonly output: string;
  readonly moments: readonly Moment[];
  readonly options: TimelineOptions;
  readonly recording: MemoryRecording;
}

const hashers = new SpaceHashers();

export function hashMachine(cpu: Cpu, space: AddressSpace): string {
  const registers = [RIP, ...GPR, ...XMM].map((slot) => cpu.big(slot).toString(16));
  return `${registers.join(',')} ${readEflags(cpu)} ${hashers.hash(space, 'own')}`;
}

export function hashPlayer({ task, space }: Player): string {
  if (task === undefined || space === undefined) return 'nobody';
  space.load(task);
  return hashMachine(space.machine.cpu, space.machine.space);
}

/** Often enough that short programs are compared, too. */
const HASH_INTERVAL = 50_000;

/** Remembers every so many stops. */
class RememberingRecorder extends Recorder {
  readonly moments: Moment[] = [];
  private last = { time: 0, done: 1 };

  constructor(
    recording: MemoryRecording,
    private readonly every: number,
  ) {
    super(recording, () => performance.now(), HASH_INTERVAL);
  }

  override stopped(task: Task, stop: Stop, time: number): void {
    super.stopped(task, stop, time);
    const done = time === this.last.time ? this.last.done : 0;
    const { machine } = task.process;
    if (this.count % this.every === 0) this.moments.push({ time, done, hash: hashMachine(machine.cpu, machine.space) });
    this.last = { time, done: done + 1 };
  }
}

export interface RecordRequest {
  readonly every?: number;
  readonly scheduleSeed?: number;
  readonly engine?: Partial<EngineOptions>;
  /** Who steps in. */
  readonly interceptor?: Interceptor;
  readonly instrumentation?: Instrumentation;
}

/** Runs a program to its end, in a folder that is gone afterwards. What it prints goes nowhere else. */
export function record(words: readonly string[], request: RecordRequest = {}): Promise<Recorded> {
  return inOwnFolder(() => recordHere(words, request));
}

async function recordHere(words: readonly string[], { every = 10, scheduleSeed = 0, engine = {}, interceptor, instrumentation = PLAIN }: RecordRequest): Promise<Recorded> {
  const host = new NodeHost();
  const recording = new MemoryRecording();
  const recorder = new RememberingRecorder(recording, every);
  const [program, ...args] = words.map(bytePathFromText);
  if (program === undefined) throw new Error('no program');
  const environment = ['PATH=/usr/bin:/bin', 'LC_ALL=C.UTF-8'].map(bytePathFromText);
  const guest = createGuest(silent(host), { program, args, environment, engine, instrumentation, world: { witness: recorder, scheduleSeed, ...(interceptor === undefined ? {} : { interceptor }) } });
  const status = await guest.world.run();
  recorder.finish();
  const options = { log: recording.log(), blobs: recording, engine: { ...DEFAULT_ENGINE_OPTIONS, ...engine }, startSeconds: guest.world.clock.startSeconds };
  return { status, instructions: guest.world.instructions, output: outputOf(recording), moments: recorder.moments, options, recording };
}

export function outputOf(recording: MemoryRecording): string {
  const decoder = new TextDecoder();
  let output = '';
  const cursor = recording.log().cursor();
  for (let event = cursor.next(); event !== undefined; event = cursor.next()) {
    for (const effect of event.effects) if (effect.op === 'output') output += decoder.decode(effect.bytes, { stream: true });
  }
  return output;
}

function silent(host: Host): Host {
  const files = Object.assign(Object.create(host.files) as HostFiles, {
    write: (fd: never, bytes: Uint8Array, position?: number) => (fd === 1 || fd === 2 ? bytes.length : host.files.write(fd, bytes, position)),
  });
  return Object.assign(Object.create(host) as Host, { files });
}
