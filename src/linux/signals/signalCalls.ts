/** The system calls about signals, put together from their families. */
import type { SyscallFamily } from '../syscall.js';
import { actionCalls } from './actionCalls.js';
import { sendingCalls } from './sendingCalls.js';
import { timerCalls } from './timerCalls.js';
import { waitingCalls } from './waitingCalls.js';

export const signalCalls: SyscallFamily = { ...actionCalls, ...sendingCalls, ...waitingCalls, ...timerCalls };
