/** What one client has set and selected, and the process that it looks at. */
import { assert } from '../base/assert.js';
import { NamedInstances } from '../debugger/control/namedInstances.js';
import { type DebugFiles, NO_FILES } from '../debugger/program/debugFiles.js';
import { Modules } from '../debugger/program/modules.js';
import { SourceText } from '../debugger/program/sourceText.js';
import { type UserCheckpoint, UserCheckpoints } from '../debugger/control/userCheckpoints.js';
import type { Thread } from '../replay/timeline/state.js';
import type { BranchMaker } from '../replay/branch/branchExecution.js';
import type { Position } from '../replay/log/position.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { Work } from '../replay/timeline/work.js';
import type { Entering } from '../whatIf/alterationCommands.js';
import { Alterations } from './alterations.js';
import type { Arrival } from './arrival.js';
import { ClientAlterations, isEntering } from './clientAlterations.js';
import { ClientCalls } from './clientCalls.js';
import { Debuggee } from './debuggee.js';
import { Motion } from './motion.js';
import { chooseProcess, programAt, type RecordedProcess } from '../replay/timeline/recordedProcesses.js';
import { type ClientFeatures, stopReply } from './stopReply.js';
import { StepOver } from './stepOver.js';
import { Stops } from './stops.js';
import { parseThread } from './threadIds.js';

export interface Served {
  readonly execution: Execution;
  readonly processes: readonly RecordedProcess[];
  /** Which process, if it is not the one that crashed or the first. */
  readonly pid?: number | undefined;
  /** Where clients find it. Default: at its end. */
  readonly opensAt?: 'begin' | 'end';
  /** Makes branches, for what clients write. */
  readonly branches?: BranchMaker | undefined;
  /** Debug information and sources that are not in the recording. */
  readonly files?: DebugFiles | undefined;
  /** Places that clients have given names. */
  readonly bookmarks: Map<string, Position>;
  /** Times from which replay starts quickly. */
  checkpointTimes?(): readonly number[];
  /** Lets others run. */
  breathe(): Promise<void>;
}

/** A place to go to, in what is debugged; or something else to be debugged. */
type Destination = Position | 'end' | 'recording' | UserCheckpoint | Entering;

/** Where checkpoints are made: the process that is looked at may be another one later. */
class CheckpointPlace {
  constructor(private readonly client: { readonly debuggee: Debuggee }) {}

  get execution(): Execution {
    return this.client.debuggee.execution;
  }

  get branching(): Debuggee['branching'] {
    return this.client.debuggee.branching;
  }
}

export class Client {
  readonly features: ClientFeatures = { multiprocess: false, swbreak: false, hwbreak: false, fork: false, vfork: false, exec: false };
  readonly stepOver = new StepOver();
  passedSignals: ReadonlySet<number> = new Set();
  caughtCalls: ReadonlySet<number> | 'all' | undefined;
  /** The thread that made a process by vfork, while it waits for it. */
  vforking: number | undefined;
  /**
   * Processes that the client knows, with what is set in them: the one that is looked at, and those that it made and
   * that have not been detached.
   */
  readonly attached: Map<number, Stops>;
  /** Thread that registers and memory are those of; undefined: any. */
  general: number | undefined;
  /** Thread that steps. */
  resumed: number | undefined;
  isInterrupted: () => boolean = () => false;
  /** Breakpoints on calls. */
  readonly calls: ClientCalls = new ClientCalls(this);
  /** Places to come back to at once. */
  readonly checkpoints: UserCheckpoints;
  readonly motion: Motion;
  readonly alterations: Alterations;
  /** What is altered by name (`monitor switch`). */
  readonly altered: ClientAlterations = new ClientAlterations(this);
  arrival: Arrival;
  private next: Destination | undefined;
  /** What the user is to be told when the motion has ended. */
  remarks: readonly string[] = [];
  private instances: NamedInstances | undefined;

  private constructor(
    readonly served: Served,
    public debuggee: Debuggee,
  ) {
    this.attached = new Map([[debuggee.pid, new Stops()]]);
    this.checkpoints = new UserCheckpoints(new CheckpointPlace(this));
    this.motion = new Motion(this, this.work);
    this.alterations = new Alterations(this);
    this.arrival = { kind: 'stepped', thread: debuggee.someThread };
  }

  static async open(served: Served, pid = served.pid): Promise<Client> {
    const debuggee = await Debuggee.open(served.execution, chooseProcess(served.processes, pid), served.branches);
    const client = new Client(served, debuggee);
    await (served.opensAt === 'begin' ? client.goToBegin() : client.goToEnd());
    return client;
  }

  /** Statements, and the times that they were reached. */
  get named(): NamedInstances {
    const { files = NO_FILES } = this.served;
    this.instances ??= new NamedInstances(new Modules(files), new SourceText(files));
    return this.instances;
  }

  /** Long work that an interrupt of the client's ends. */
  get work(): Work {
    return { isCancelled: () => this.isInterrupted(), breathe: () => this.served.breathe() };
  }

  async goToBegin(): Promise<void> {
    await this.debuggee.seekBegin();
    this.arrived({ kind: 'stepped', thread: this.debuggee.someThread });
  }

  /** Where the failure is. */
  async goToEnd(): Promise<void> {
    const { debuggee, motion } = this;
    const { signal } = debuggee.process;
    await debuggee.seekEnd();
    const thread = debuggee.someThread;
    if (signal !== 0) motion.noteSignalTold();
    this.arrived(signal === 0 ? { kind: 'stepped', thread } : { kind: 'signal', thread, signal });
  }

  /** Where the next motion goes, whatever it is. */
  get pending(): Destination | undefined {
    return this.next;
  }

  set pending(where: Destination | undefined) {
    const { next } = this;
    // It will not be looked at.
    if (isEntering(next) && next.branch !== this.debuggee.branch) next.branch?.drop();
    this.next = where;
  }

  async move(motion: (motion: Motion) => Promise<Arrival>): Promise<string> {
    const { pending } = this;
    this.next = undefined;
    this.remarks = [];
    if (pending === undefined) {
      this.alterations.resumed();
      await this.arrivedAt(await this.motion.make(() => motion(this.motion)));
    } else {
      this.alterations.forget();
      this.vforking = undefined;
      this.arrived(await this.motion.make(() => this.jump(pending)));
    }
    return this.stopReply();
  }

  private async jump(where: Destination): Promise<Arrival> {
    const { debuggee } = this;
    if (where === 'end') await debuggee.seekEnd(this.work);
    else if (where === 'recording') debuggee.dropBranch();
    else if (isEntering(where)) await this.altered.enter(where);
    else if ('id' in where) await this.rollBack(where);
    else await debuggee.branching.seek(where, this.work);
    return { kind: 'jumped', thread: debuggee.someThread };
  }

  private async rollBack(checkpoint: UserCheckpoint): Promise<void> {
    const { list } = this.altered;
    await this.checkpoints.restore(checkpoint, this.work);
    this.remarks = await this.altered.rolledBack(list);
  }

  /** What has happened to processes on the way here is noted. */
  private async arrivedAt(arrival: Arrival): Promise<void> {
    const { debuggee } = this;
    if (arrival.kind === 'forked' && debuggee.state.threads.some(({ pid }) => pid === arrival.child)) {
      this.attached.set(arrival.child, this.stops.copy());
      this.vforking = arrival.how === 'vfork' ? arrival.thread : undefined;
    }
    if (arrival.kind === 'vforkDone') this.vforking = undefined;
    if (arrival.kind === 'executed') {
      this.stops.clear();
      const process = programAt(this.processes, debuggee.pid, debuggee.position);
      if (process !== undefined) this.debuggee = await debuggee.other(process);
    }
    this.arrived(arrival);
  }

  get stops(): Stops {
    const stops = this.attached.get(this.debuggee.pid);
    assert(stops !== undefined, 'a client knows the process that it looks at');
    return stops;
  }

  get processes(): readonly RecordedProcess[] {
    return this.served.processes;
  }

  /** Threads of all processes that the client knows. */
  get threads(): readonly Thread[] {
    return this.debuggee.state.threads.filter(({ pid }) => this.attached.has(pid));
  }

  /** Another process, where the execution stands. False: the client does not know it, or it is not there. */
  async lookAt(pid: number): Promise<boolean> {
    const { debuggee } = this;
    if (pid === debuggee.pid) return true;
    const process = this.attached.has(pid) && debuggee.branch === undefined ? programAt(this.processes, pid, debuggee.position) : undefined;
    if (process === undefined) return false;
    this.debuggee = await debuggee.other(process);
    this.general = undefined;
    return true;
  }

  /** The client wants to hear no more of it. */
  async detach(pid: number): Promise<void> {
    if (this.attached.size === 1) return;
    const left = [...this.attached.keys()].find((one) => one !== pid);
    if (pid !== this.debuggee.pid || (left !== undefined && (await this.lookAt(left)))) this.attached.delete(pid);
  }

  arrived(arrival: Arrival): void {
    this.arrival = arrival;
    this.general = this.debuggee.owns(arrival.thread) ? arrival.thread : undefined;
    this.resumed = undefined;
  }

  stopReply(): string {
    const thread = this.debuggee.threads.find(({ id }) => id === this.generalThread);
    return stopReply(this.arrival, thread, this.debuggee.state, this.features);
  }

  /** The one that registers are those of. */
  get generalThread(): number {
    return this.general !== undefined && this.debuggee.owns(this.general) ? this.general : this.debuggee.someThread;
  }

  /** The thread that a name in a packet means; 'any' for 0 and -1; undefined if there is none. */
  threadOf(name: string): Thread | 'any' | undefined {
    const parsed = parseThread(name);
    if (parsed === undefined) return undefined;
    const { pid, tid } = parsed;
    const isAny = tid === 'all' || tid === 0;
    if (pid === undefined || pid === 'all' || pid === 0) return isAny ? 'any' : this.threads.find((thread) => thread.tid === tid);
    if (!this.attached.has(pid)) return undefined;
    if (!isAny) return this.threads.find((thread) => thread.pid === pid && thread.tid === tid);
    return pid === this.debuggee.pid ? 'any' : this.threads.find((thread) => thread.pid === pid);
  }
}
