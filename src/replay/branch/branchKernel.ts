/**
 * A branch after it has left the recording: processes under a kernel of their own, on a host that nothing gets out of.
 */
import type { Host } from '../../host/host.js';
import { linuxSyscallTable } from '../../linux/linuxSyscalls.js';
import type { ExitStatus } from '../../linux/process.js';
import { SYSCALL_NAMES } from '../../base/syscallNames.js';
import type { SyscallEntry } from '../../linux/syscallTable.js';
import type { GuestMachine } from '../../linux/tasks/machine.js';
import type { Task } from '../../linux/tasks/task.js';
import { type RunEnding, World } from '../../linux/world.js';
import type { EventLog } from '../log/eventLog.js';
import { BranchRecorder } from './branchRecorder.js';
import { type BranchHost, createBranchHost } from './branchHost.js';
import type { BranchLog } from './branchLog.js';
import { type ComparableState, spaceName, threadName } from './compareStates.js';
import { type FileChanges, undoChanges } from './fileChanges.js';
import { FileMaker, type FileMakerOptions } from './fileMaker.js';
import type { Departure, Follower } from './follower.js';
import { laterReads } from './laterReads.js';
import { Ledger, type LedgerTask } from '../log/ledger.js';
import type { Suppression } from './suppression/suppression.js';
import { shadowGuard } from './suppressedTasks.js';
import { TakeOver } from './takeOver.js';
import { Unsupported } from './unsupported.js';

interface BranchKernelOptions {
  readonly log: EventLog;
  /** Where what happens is written to. */
  readonly branchLog: BranchLog | undefined;
  readonly host: Host;
  /** What the recorded run did to files. Asked once. */
  readonly fileChanges: () => FileChanges;
  readonly suppression: Suppression | undefined;
  readonly output: (fd: number, bytes: Uint8Array) => void;
  readonly warn: (line: string) => void;
}

/** Objects that have no descriptor: semaphores, message queues, shared memory by key. */
const IPC_CALL = /^(sem|msg|shm)(get|ctl|op|timedop|snd|rcv|at|dt)$|^mq_|^io_/;

export class BranchKernel {
  readonly world: World;
  readonly recorder: BranchRecorder | undefined;
  private readonly environment: BranchHost;
  private lastTask: Task | undefined;
  /** Who was about to run, and whom the recording calls what. */
  private readonly tasks: ReadonlyMap<number, Task>;
  private readonly spaces: ReadonlyMap<GuestMachine, string>;

  /** Throws Unsupported. */
  constructor(follower: Follower, departure: Departure, options: BranchKernelOptions) {
    const { log } = options;
    const ledger = Ledger.at(log, departure.place);
    if (ledger.world === undefined) throw new Unsupported('the recording does not say what its kernel knew');
    this.environment = createBranchHost(options.host, ledger.world, options.warn);
    const recorder = options.branchLog === undefined ? undefined : new BranchRecorder(options.branchLog, follower, departure, ledger.processCount);
    this.recorder = recorder;
    this.world = new World(this.environment.host, { closed: true, table: tableFor(ledger), ...(recorder === undefined ? {} : { witness: recorder }), ...(options.suppression === undefined ? {} : { guard: shadowGuard(options.suppression, log) }) });
    this.environment.useClock(() => this.world.clock.realtime());
    follower.moveClock();
    this.world.clock.position = follower.world.clock.position;
    recorder?.useClock(this.world.clock);
    follower.world.clock = this.world.clock;
    for (const path of undoChanges(this.environment.host.files, options.fileChanges().after(departure.place))) options.warn(`${path}: the recorded run changed it later`);
    const later: FileMakerOptions['laterReads'] = (isIt, count) => laterReads(log, departure.place, isIt, count);
    const files = new FileMaker({ host: this.environment.host, ledger, objects: follower.world.objects, laterReads: later, output: (fd, bytes) => this.hear(fd, bytes, options), warn: options.warn });
    if (ledger.usesLocks) options.warn('locks on files that the recorded run had then are not held in the branch');
    const taken = new TakeOver(this.world, follower.world, ledger, files, recorder).run();
    this.tasks = taken.tasks;
    for (const [id, task] of taken.tasks) {
      const played = follower.world.tasks.get(id);
      if (played === undefined) continue;
      task.process.machine.engine.shadow?.renamed(played, task);
      options.suppression?.renamed(played, task);
    }
    this.spaces = new Map([...taken.machines].map(([space, machine]) => [machine, spaceName(space.id)]));
    this.resume(follower, departure, ledger);
  }

  /** Instructions retired. */
  get time(): number {
    return this.world.instructions;
  }

  /** The task that runs next, or has run last. */
  get current(): Task | undefined {
    this.lastTask = this.world.current ?? this.lastTask;
    return this.lastTask;
  }

  get ending(): RunEnding | undefined {
    return this.world.ending;
  }

  /** How the first process ended; undefined if `time` has come before that. */
  async runTo(time: number): Promise<ExitStatus | undefined> {
    let status: ExitStatus | undefined;
    let isOver = true;
    try {
      status = await this.world.runTo(time);
      isOver = status !== undefined;
    } finally {
      if (isOver) this.recorder?.finish();
      else this.recorder?.blocked();
    }
    void this.current;
    return status;
  }

  /** By the number that the branch's log has for it, or the recording. */
  task(id: number): Task | undefined {
    return this.recorder?.taskOf(id) ?? this.tasks.get(id);
  }

  private hear(fd: number, bytes: Uint8Array, { output }: BranchKernelOptions): void {
    this.recorder?.output(fd, bytes);
    output(fd, bytes);
  }

  get state(): ComparableState {
    const { world } = this;
    const name = (machine: GuestMachine, pid: number): string => this.spaces.get(machine) ?? `process ${pid}`;
    const known = new Map([...this.tasks].map(([id, task]) => [task, threadName(id)]));
    return {
      spaces: new Map(world.processes.map(({ machine, pid }) => [name(machine, pid), machine.space])),
      threads: new Map(world.tasks.map((task) => [known.get(task) ?? `new thread ${task.tid}`, wordsOf(task)])),
    };
  }

  dispose(): void {
    this.environment.dispose();
  }

  /** Those who were in system calls ask again, in the order in which they did; who stopped now is the last of them. */
  private resume(follower: Follower, departure: Departure, ledger: Ledger): void {
    const current = follower.task?.id;
    const waiting = [...ledger.tasks.values()].filter(({ call, id }) => call !== undefined && id !== current);
    for (const known of waiting.sort((a, b) => (a.call?.since ?? 0) - (b.call?.since ?? 0))) this.askAgain(known);
    const task = current === undefined ? undefined : this.tasks.get(current);
    if (task !== undefined) task.instructions += departure.ranOn;
    this.world.continueFrom(follower.time, task);
    if (task !== undefined && departure.stop !== undefined) this.world.answer(task, departure.stop);
  }

  private askAgain({ id, call }: LedgerTask): void {
    const task = this.tasks.get(id);
    if (task === undefined || call === undefined) return;
    if (call.result !== undefined) {
      task.endedBefore(call.number, call.result);
      return;
    }
    this.world.answer(task, { kind: 'syscall' });
    // It has waited for some time already.
    if (task.wait !== undefined && call.deadline !== undefined) Object.assign(task.wait, { deadline: call.deadline });
  }
}

function wordsOf(task: Task): Uint32Array {
  const { machine } = task.process;
  const bytes = machine.loaded === task ? machine.cpu.bytes() : task.registers;
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}

function tableFor({ calls }: Ledger): readonly (SyscallEntry | undefined)[] {
  const table = linuxSyscallTable();
  const used = [...calls].find((number) => IPC_CALL.test(SYSCALL_NAMES[number] ?? ''));
  if (used === undefined) return table;
  const handler = (): never => {
    throw new Unsupported(`what ${SYSCALL_NAMES[used]} has made is not in the recording`);
  };
  return table.map((entry) => (entry !== undefined && IPC_CALL.test(entry.name) ? { ...entry, handler } : entry));
}
