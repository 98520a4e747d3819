/** Which signals stop, as gdb's `handle` has it. Whether they are passed to the program is the recording's business. */
import { SIGNAL_COUNT } from '../../base/signalNumbers.js';

interface SignalAction {
  stop: boolean;
  print: boolean;
  pass: boolean;
}

/** SIGALRM, SIGURG, SIGIO, SIGVTALRM, SIGPROF, SIGCHLD, SIGWINCH, and two that glibc keeps for itself. */
const QUIET = [14, 23, 29, 26, 27, 17, 28, 32, 33];
/** SIGINT and SIGTRAP are the debugger's own. */
const KEPT = [2, 5];

export class SignalTable {
  private readonly actions = new Map<number, SignalAction>();

  action(signal: number): SignalAction {
    const known = this.actions.get(signal) ?? { stop: !QUIET.includes(signal), print: !QUIET.includes(signal), pass: !KEPT.includes(signal) };
    this.actions.set(signal, known);
    return known;
  }

  /** The numbers of those that do. */
  get stopping(): readonly number[] {
    return Array.from({ length: SIGNAL_COUNT }, (_, i) => i + 1).filter((signal) => this.action(signal).stop);
  }

  /** `stop` implies `print`, and `noprint` `nostop`. */
  handle(signal: number, change: Partial<SignalAction>): void {
    const action = Object.assign(this.action(signal), change);
    if (change.stop === true) action.print = true;
    if (change.print === false) action.stop = false;
  }
}
