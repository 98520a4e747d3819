/** The system calls about signals, put together from their families. */
import type { SyscallFamily } from '../syscall.js';
import { actionCalls } from './actionCalls.js';
import { HostSignalRelay } from './hostSignalRelay.js';
import { sendingCalls } from './sendingCalls.js';
import type { SignalState } from './signalState.js';
import { timerCalls } from './timerCalls.js';
import { waitingCalls } from './waitingCalls.js';

export function signalCalls(signals: SignalState): SyscallFamily {
  return {
    ...actionCalls(signals, new HostSignalRelay(signals)),
    ...sendingCalls(signals),
    ...waitingCalls(signals),
    ...timerCalls(signals),
  };
}
