/** What one client has set and selected, and the process that it looks at. */
import type { Thread } from '../replay/timeline/state.js';
import type { BranchMaker } from '../replay/branch/branchExecution.js';
import { comparePositions, type Position } from '../replay/play/position.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { Work } from '../replay/timeline/work.js';
import { Alterations } from './alterations.js';
import type { Arrival } from './arrival.js';
import { Debuggee } from './debuggee.js';
import { Motion } from './motion.js';
import { chooseProcess, type RecordedProcess } from './recordedProcesses.js';
import { type ClientFeatures, stopReply } from './stopReply.js';
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
  /** Places that clients have given names. */
  readonly bookmarks: Map<string, Position>;
  /** Times from which replay starts quickly. */
  checkpointTimes?(): readonly number[];
  /** Lets others run. */
  breathe(): Promise<void>;
}

export class Client {
  readonly features: ClientFeatures = { multiprocess: false, swbreak: false, hwbreak: false };
  readonly stops = new Stops();
  passedSignals: ReadonlySet<number> = new Set();
  /** Thread that registers and memory are those of; undefined: any. */
  general: number | undefined;
  /** Thread that steps. */
  resumed: number | undefined;
  isInterrupted: () => boolean = () => false;
  readonly motion: Motion;
  readonly alterations: Alterations;
  arrival: Arrival;
  /** Where the next motion goes, whatever it is. */
  pending: Position | 'end' | 'recording' | undefined;

  private constructor(
    readonly served: Served,
    readonly debuggee: Debuggee,
  ) {
    this.motion = new Motion(debuggee, this, this.work);
    this.alterations = new Alterations(debuggee, served.branches);
    this.arrival = { kind: 'stepped', thread: debuggee.someThread };
  }

  static async open(served: Served, pid = served.pid): Promise<Client> {
    const debuggee = await Debuggee.open(served.execution, chooseProcess(served.processes, pid));
    const client = new Client(served, debuggee);
    await (served.opensAt === 'begin' ? client.goToBegin() : client.goToEnd());
    return client;
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

  async move(motion: (motion: Motion) => Promise<Arrival>): Promise<string> {
    const { pending } = this;
    this.pending = undefined;
    if (pending === undefined) {
      this.alterations.resumed();
      this.arrived(await this.motion.make(() => motion(this.motion)));
    } else {
      this.alterations.forget();
      this.arrived(await this.motion.make(() => this.jump(pending)));
    }
    return this.stopReply();
  }

  private async jump(where: Position | 'end' | 'recording'): Promise<Arrival> {
    const { debuggee } = this;
    const { branch } = debuggee;
    if (where === 'end') await debuggee.seekEnd(this.work);
    else if (where === 'recording') await debuggee.dropBranch();
    else {
      if (branch !== undefined && comparePositions(where, branch.start) < 0) await debuggee.dropBranch();
      await debuggee.execution.seek(where, this.work);
    }
    return { kind: 'jumped', thread: debuggee.someThread };
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
    if (pid !== undefined && pid !== 'all' && pid !== 0 && pid !== this.debuggee.pid) return undefined;
    return tid === 'all' || tid === 0 ? 'any' : this.debuggee.threads.find((thread) => thread.tid === tid);
  }
}
