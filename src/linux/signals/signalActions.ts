/** What a process does on each signal: struct sigaction, for all threads of the process. */
import { EMPTY_SET, SIGNAL_COUNT, UNCATCHABLE, defaultAction, setOf, type SigSet } from '../../base/signalNumbers.js';

export const SIG_DFL = 0n;
export const SIG_IGN = 1n;

export const SA = {
  NOCLDSTOP: 1, NOCLDWAIT: 2, SIGINFO: 4, EXPOSE_TAGBITS: 0x800, RESTORER: 0x0400_0000, ONSTACK: 0x0800_0000,
  RESTART: 0x1000_0000, NODEFER: 0x4000_0000, RESETHAND: 0x8000_0000,
} as const;

/** Flags the kernel knows; it drops all others so that programs can probe. */
const KNOWN_FLAGS = Object.values(SA).reduce((all, flag) => all | flag, 0);

export interface SignalAction {
  /** SIG_DFL, SIG_IGN or an address. */
  readonly handler: bigint;
  readonly flags: number;
  readonly restorer: bigint;
  /** Blocked while the handler runs. */
  readonly mask: SigSet;
}

const DEFAULT: SignalAction = { handler: SIG_DFL, flags: 0, restorer: 0n, mask: EMPTY_SET };

export class SignalActions {
  private readonly actions: SignalAction[] = new Array<SignalAction>(SIGNAL_COUNT + 1).fill(DEFAULT);

  /** Whether any signal has a handler of the program's own. */
  get anyHandler(): boolean {
    return this.actions.some(({ handler }) => handler !== SIG_DFL && handler !== SIG_IGN);
  }

  /** The signals whose handler is such. */
  withHandler(wanted: (handler: bigint) => boolean): SigSet {
    let set = EMPTY_SET;
    for (let signal = 1; signal <= SIGNAL_COUNT; signal++) if (wanted(this.get(signal).handler)) set |= setOf(signal);
    return set;
  }

  get(signal: number): SignalAction {
    return this.actions[signal] as SignalAction;
  }

  set(signal: number, action: SignalAction): void {
    this.actions[signal] = { ...action, flags: action.flags & KNOWN_FLAGS, mask: action.mask & ~UNCATCHABLE };
  }

  /** For fork. */
  copyFrom(other: SignalActions): void {
    for (let signal = 1; signal <= SIGNAL_COUNT; signal++) this.actions[signal] = other.get(signal);
  }

  setHandler(signal: number, handler: bigint): void {
    this.actions[signal] = { ...this.get(signal), handler };
  }

  /** Whether sending the signal has no effect at all (if it is not blocked). */
  ignores(signal: number): boolean {
    const { handler } = this.get(signal);
    return handler === SIG_IGN || (handler === SIG_DFL && defaultAction(signal) === 'ignore');
  }

  /** Whether the program has asked for it to be ignored. */
  ignoresByChoice(signal: number): boolean {
    return this.get(signal).handler === SIG_IGN;
  }

  /** execve: handlers are gone, ignored signals stay ignored. */
  resetForExec(): void {
    for (let signal = 1; signal <= SIGNAL_COUNT; signal++) {
      const { handler } = this.get(signal);
      this.actions[signal] = handler === SIG_IGN ? { ...DEFAULT, handler } : DEFAULT;
    }
  }
}
