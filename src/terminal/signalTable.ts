/** What happens when the program gets a signal, as gdb's `handle` keeps it. */
export interface SignalAction {
  readonly stop: boolean;
  readonly print: boolean;
}

/** SIGALRM, SIGURG, SIGIO, SIGVTALRM, SIGPROF, SIGCHLD, SIGWINCH and what the C library uses for itself. */
const QUIET = new Set([14, 23, 29, 26, 27, 17, 28, 32, 33]);

export class SignalTable {
  private readonly actions = new Map<number, SignalAction>();

  get(signal: number): SignalAction {
    return this.actions.get(signal) ?? { stop: !QUIET.has(signal), print: !QUIET.has(signal) };
  }

  set(signal: number, action: SignalAction): void {
    this.actions.set(signal, action);
  }
}
