/**
 * What becomes of a system call that a signal interrupted. A handler that was interrupted returns
 * one of -ERESTART.*; the guest never sees these numbers: when signals are delivered they turn into
 * EINTR or into the call being made again.
 */
import { SA } from './signalActions.js';

export const ERESTART = {
  /** Again if the signal has no handler, or one with SA_RESTART; otherwise EINTR. */
  SYS: 512,
  /** Again in any case. */
  NOINTR: 513,
  /** Again if no handler ran; otherwise EINTR. */
  NOHAND: 514,
  /** EINTR in any case. For calls that change the mask while they wait: it stays until the signal is delivered. */
  NEVER: 515,
  /** As NOHAND, but the rest is done by restart_syscall (for calls with a relative timeout). */
  RESTARTBLOCK: 516,
} as const;

type Restart = 'no' | 'eintr' | 'again' | 'restart_syscall';

/** `handlerFlags`: sa_flags of the handler about to run, undefined if none runs. */
export function restartRule(result: number, handlerFlags: number | undefined): Restart {
  const handled = handlerFlags !== undefined;
  switch (-result) {
    case ERESTART.NOINTR:
      return 'again';
    case ERESTART.NEVER:
      return 'eintr';
    case ERESTART.SYS:
      return handled && (handlerFlags & SA.RESTART) === 0 ? 'eintr' : 'again';
    case ERESTART.NOHAND:
      return handled ? 'eintr' : 'again';
    case ERESTART.RESTARTBLOCK:
      return handled ? 'eintr' : 'restart_syscall';
    default:
      return 'no';
  }
}
