/**
 * Signals that come from outside (Ctrl-C, kill from another terminal) reach the guest only if it
 * wants to know: where it keeps the default action, the host's default action ends or stops us, which is
 * what the guest would have seen natively.
 */
import type { HostSignals } from '../../host/host.js';
import { SIG_DFL } from './signalActions.js';
import { kernelInfo } from './siginfo.js';
import { SIG, contains, setOf } from './signalNumbers.js';
import type { SignalState } from './signalState.js';

/** Not among them: what instructions raise, SIGPIPE and SIGCHLD (ours, not the guest's), what cannot be caught. */
const RELAYED = setOf(
  SIG.HUP, SIG.INT, SIG.QUIT, SIG.USR1, SIG.USR2, SIG.TERM, SIG.CONT, SIG.TSTP, SIG.TTIN, SIG.TTOU, SIG.WINCH,
);

export class HostSignalRelay {
  private readonly listening = new Map<number, () => void>();

  constructor(private readonly signals: SignalState) {}

  /** To be called when the action for a signal has changed. */
  update(host: HostSignals, signal: number): void {
    if (!contains(RELAYED, signal)) return;
    const wanted = this.signals.process.actions.get(signal).handler !== SIG_DFL;
    const stop = this.listening.get(signal);
    if (wanted === (stop !== undefined)) return;
    if (stop !== undefined) {
      stop();
      this.listening.delete(signal);
    } else {
      this.listening.set(signal, host.listen(signal, () => this.signals.send(kernelInfo(signal), 'process')));
    }
  }
}
