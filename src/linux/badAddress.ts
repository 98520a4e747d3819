/** What a system call answers when a program gives it an address that it cannot use. */
import { E } from '../base/errno.js';
import { BadAddress } from '../machine/addressSpace.js';

/** The result of `action`, or -EFAULT if it comes upon a bad address. */
export function orFault<T>(action: () => T): T | number {
  try {
    return action();
  } catch (error) {
    if (error instanceof BadAddress) return -E.FAULT;
    throw error;
  }
}
