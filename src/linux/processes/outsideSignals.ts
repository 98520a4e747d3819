/**
 * Signals that come from outside: Ctrl-C and the like, kill from another terminal. While there is one
 * process and it keeps the default action and does not block the signal, the host's default action ends or
 * stops us, which is what the guest would have seen natively. Otherwise we listen, and always to what would end a run that is
 * recorded: the end is part of the recording. What a terminal sends goes to the guest's
 * foreground group; everything else is meant for the first process, which is who the outside knows.
 */
import type { Process } from '../process.js';
import { SIG_DFL } from '../signals/signalActions.js';
import { kernelInfo } from '../signals/siginfo.js';
import { type DefaultAction, SIG, type SigSet, contains, defaultAction, setOf } from '../signals/signalNumbers.js';
import type { World } from '../world.js';
import { groupMembers } from './groups.js';

const FROM_TERMINAL = setOf(SIG.INT, SIG.QUIT, SIG.TSTP, SIG.WINCH);
/** Not among them: what instructions raise, SIGPIPE and SIGCHLD (ours, not the guest's), what cannot be caught. */
const RELAYED = [
  SIG.HUP, SIG.INT, SIG.QUIT, SIG.USR1, SIG.USR2, SIG.TERM, SIG.CONT, SIG.TSTP, SIG.TTIN, SIG.TTOU, SIG.WINCH,
] as const;
const ENDING: ReadonlySet<DefaultAction> = new Set<DefaultAction>(['terminate', 'core']);
const RELAYED_SET: SigSet = setOf(...RELAYED);

export class OutsideSignals {
  private readonly listening = new Map<number, () => void>();
  /** The last one that came. */
  private last = 0;

  constructor(private readonly world: World) {}

  /** Whether a signal from outside would make some process do something. */
  get isHeard(): boolean {
    return this.world.processes.some(({ signals }) => (signals.sets().caught & RELAYED_SET) !== 0n);
  }

  /** The number of processes has changed. */
  updateAll(): void {
    for (const signal of RELAYED) this.update(signal);
  }

  /** The action that a process takes on a signal has changed. */
  update(signal: number): void {
    if (!contains(RELAYED_SET, signal)) return;
    const wanted = this.isWanted(signal);
    const stop = this.listening.get(signal);
    if (wanted === (stop !== undefined)) return;
    if (stop === undefined) this.listening.set(signal, this.world.host.signals.listen(signal, () => this.arrived(signal)));
    else {
      stop();
      this.listening.delete(signal);
    }
  }

  private isWanted(signal: number): boolean {
    const [only, another] = this.world.processes;
    if (only === undefined || another !== undefined) return only !== undefined;
    if (this.world.witness !== undefined && ENDING.has(defaultAction(signal))) return true;
    const { process, threads } = only.signals;
    return process.actions.get(signal).handler !== SIG_DFL || threads.every(({ blocked }) => contains(blocked, signal));
  }

  /** The first process has been ended by a signal from outside: for the outside we are one process, and nothing of us is to be left. */
  hasEnded(first: Process): boolean {
    const status = first.exitStatus;
    return status?.kind === 'signaled' && status.signal === this.last;
  }

  private arrived(signal: number): void {
    const { world } = this;
    this.last = signal;
    if (world.firstHasEnded && defaultAction(signal) !== 'ignore') {
      world.killAll();
      return;
    }
    const group = contains(FROM_TERMINAL, signal) ? groupMembers(world, world.terminal.foregroundGroup) : [];
    for (const p of group.length > 0 ? group : world.processes.slice(0, 1)) if (p.exitStatus === undefined) p.signals.send(kernelInfo(signal), 'process');
    world.notify();
  }
}
