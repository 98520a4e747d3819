/**
 * Signals that come from outside: Ctrl-C and the like, kill from another terminal. While there is one
 * process and it keeps the default action and does not block the signal, the host's default action ends or
 * stops us, which is what the guest would have seen natively. Otherwise we listen, and always to what would end a run
 * that is recorded: the end is part of the recording.
 *
 * What is sent to our group goes to the guest's processes that are in it (or in the group that the guest has put
 * into the foreground of its terminal); what is sent to us is meant for the first process, which is who the outside
 * knows.
 */
import type { Process } from '../process.js';
import { SIG_DFL } from '../signals/signalActions.js';
import { kernelInfo } from '../signals/siginfo.js';
import { type DefaultAction, SIG, type SigSet, STOP_SIGNALS, contains, defaultAction, setOf } from '../../base/signalNumbers.js';
import type { World } from '../world.js';
import { groupMembers } from './groups.js';

const FROM_TERMINAL = setOf(SIG.INT, SIG.QUIT, SIG.TSTP, SIG.WINCH);
/** Usually sent to a group, by terminals, shells and timeout(1), if it is not known. */
const FOR_GROUPS = FROM_TERMINAL | setOf(SIG.TERM, SIG.HUP, SIG.CONT);
/** Not among them: what instructions raise, SIGPIPE and SIGCHLD (ours, not the guest's), what cannot be caught. */
const RELAYED = [
  SIG.HUP, SIG.INT, SIG.QUIT, SIG.ABRT, SIG.USR1, SIG.USR2, SIG.ALRM, SIG.TERM, SIG.STKFLT, SIG.CONT, SIG.TSTP, SIG.TTIN, SIG.TTOU,
  SIG.XCPU, SIG.VTALRM, SIG.PROF, SIG.WINCH, SIG.IO, SIG.PWR,
] as const;
const ENDING: ReadonlySet<DefaultAction> = new Set<DefaultAction>(['terminate', 'core']);
const RELAYED_SET: SigSet = setOf(...RELAYED);
/**
 * The host's kernel sends them when we use a terminal from the background, again and again if that does not stop us.
 */
const FOR_BACKGROUND = setOf(SIG.TTIN, SIG.TTOU);

export class OutsideSignals {
  private readonly listening = new Map<number, () => void>();
  /** Those that came and may have ended a process. */
  private came: SigSet = 0n;
  /** The first one that came when the first process had ended already. */
  private late = 0;
  private lateCount = 0;
  /** A stop signal came, and no SIGCONT since. */
  private stops = false;

  constructor(private readonly world: World) {}

  /** Whether a signal from outside would make some process do something. */
  get isHeard(): boolean {
    return this.world.processes.some(({ signals }) => (signals.sets().caught & RELAYED_SET) !== 0n);
  }

  /** The number of processes has changed. */
  updateAll(): void {
    if (this.world.processes.length > 1) this.world.host.job?.watchGroup();
    for (const signal of RELAYED) this.update(signal);
  }

  /** The action that a process takes on a signal has changed. */
  update(signal: number): void {
    if (!contains(RELAYED_SET, signal)) return;
    const wanted = this.isWanted(signal);
    const stop = this.listening.get(signal);
    if (wanted === (stop !== undefined)) return;
    if (stop === undefined) this.listening.set(signal, this.world.host.signals.listen(signal, (isForGroup) => this.arrived(signal, isForGroup)));
    else this.unlisten(signal);
  }

  /** The run is over, and its caller does what is left to do: signals do to us what they do to any process. */
  release(): void {
    for (const signal of [...this.listening.keys()]) this.unlisten(signal);
  }

  /** The signal from outside that has ended the run: for the outside we are one process, which ends by that signal. */
  endedBy(first: Process): number | undefined {
    const status = first.exitStatus;
    if (status?.kind === 'signaled' && contains(this.came, status.signal)) return status.signal;
    return this.late === 0 ? undefined : this.late;
  }

  /**
   * The first process is stopped. If that came from outside, or if all others are stopped as well, the shell that
   * started us is to see that: we stop, too. It continues us with SIGCONT, which we hear.
   */
  stopWith(first: Process): void {
    const { world } = this;
    if (!this.stops && !world.processes.every((p) => p.exitStatus !== undefined || p.family.isStopped)) return;
    const signal = first.family.stoppedBy;
    const { job } = world.host;
    if (job === undefined) return this.send(SIG.CONT, true);
    this.update(SIG.CONT);
    this.unlisten(signal);
    job.stop(signal, world.timeLeft);
    this.update(signal);
  }

  private unlisten(signal: number): void {
    this.listening.get(signal)?.();
    this.listening.delete(signal);
  }

  private isWanted(signal: number): boolean {
    const { processes, witness, timeLeft, firstHasEnded } = this.world;
    const action = defaultAction(signal);
    const [only, another] = processes;
    // What is recorded is still to be completed.
    if (only === undefined) return witness !== undefined && firstHasEnded && ENDING.has(action);
    // Node would open a port for debuggers.
    if (signal === SIG.USR1) return true;
    if (signal === SIG.CONT && processes.some((p) => p.family.isStopped)) return true;
    if (contains(FOR_BACKGROUND, signal)) return hasChosen(only, signal);
    if (another !== undefined) return true;
    if (witness !== undefined && ENDING.has(action)) return true;
    // Who is stopped by the host has no idea of time.
    if (action === 'stop' && timeLeft !== Infinity) return true;
    return hasChosen(only, signal);
  }

  private arrived(signal: number, isForGroup: boolean | undefined): void {
    const { world } = this;
    if (signal === SIG.CONT) this.stops = false;
    else if (contains(STOP_SIGNALS, signal)) this.stops = true;
    this.came |= setOf(signal);
    if (world.firstHasEnded) this.arrivedLate(signal);
    else this.send(signal, isForGroup);
    world.notify();
  }

  private send(signal: number, isForGroup: boolean | undefined): void {
    for (const p of this.meant(signal, isForGroup)) if (p.exitStatus === undefined) p.signals.send(kernelInfo(signal), 'process');
  }

  /**
   * No process is left but those that the first one has left behind, if any: the signal is for all of them, and the
   * next one ends them.
   */
  private arrivedLate(signal: number): void {
    const { processes, host } = this.world;
    if (ENDING.has(defaultAction(signal))) {
      const isSecond = this.lateCount++ > 0;
      if (processes.length === 0 && isSecond) this.endUs(signal);
      if (processes.length === 0) return;
      this.late ||= signal;
      if (isSecond) this.world.killAll();
    }
    for (const p of processes) p.signals.send(kernelInfo(signal), 'process');
    if (contains(STOP_SIGNALS, signal)) host.job?.stop(SIG.STOP, this.world.timeLeft);
  }

  private endUs(signal: number): void {
    this.unlisten(signal);
    this.world.host.signals.send(this.world.host.identity.pid, signal);
  }

  private meant(signal: number, isForGroup: boolean | undefined): readonly Process[] {
    const { world } = this;
    const [first] = world.processes as [Process];
    const isForAll = isForGroup ?? this.isUsuallyForGroup(first, signal);
    if (!isForAll) return [first];
    const inForeground = contains(FROM_TERMINAL, signal) ? world.terminal.chosenForeground : undefined;
    const members = groupMembers(world, inForeground ?? world.host.identity.processGroup);
    return members.length > 0 ? members : [first];
  }

  /** Who handles SIGHUP has probably been asked to read its files again. */
  private isUsuallyForGroup(first: Process, signal: number): boolean {
    return contains(FOR_GROUPS, signal) && !(signal === SIG.HUP && first.signals.catches(signal));
  }
}

/** Whether it does something else than the default action. */
function hasChosen({ signals: { process, threads } }: Process, signal: number): boolean {
  return process.actions.get(signal).handler !== SIG_DFL || threads.every(({ blocked }) => contains(blocked, signal));
}
