/**
 * Whether an operator is still at work: what it asks for then has to be waited for, what is asked for later has not.
 */
import type { Awaitable } from '../types.js';
import { isPromise } from './lazyCell.js';

interface Running {
  readonly now: boolean;
  /** Says that this is what the operator returned. */
  watch<T>(result: Awaitable<T>): Awaitable<T>;
}

export function isRunning(): Running {
  const running = {
    now: true,
    watch<T>(result: Awaitable<T>): Awaitable<T> {
      if (isPromise(result)) return result.finally(() => (running.now = false));
      running.now = false;
      return result;
    },
  };
  return running;
}
