/** Threads as gdb names them. */
import type { Thread } from '../replay/timeline/state.js';
import { hex } from './frameText.js';
import type { Session } from './session.js';

/**
 * Numbers within their process, in the order in which they came to be: gdb's own are never used again, and neither are
 * ids.
 */
export function threadNumber(thread: Thread, session: Session): string {
  const number = String(thread.id);
  return isMultiProcess(session) ? `${inferiorNumber(thread.pid, session)}.${number}` : number;
}

function isMultiProcess({ debugger: { state: { threads } } }: Session): boolean {
  return new Set(threads.map(({ pid }) => pid)).size > 1;
}

export function inferiorNumber(pid: number, { debugger: { state: { threads } } }: Session): number {
  return [...new Set(threads.map((thread) => thread.pid))].indexOf(pid) + 1;
}

/** Whether messages say which thread it was: once there was a second one. */
export function isThreaded({ debugger: { state: { threads } } }: Session): boolean {
  return threads.length > 1 || (threads[0]?.id ?? 1) > 1;
}

/** `Thread 0x7ffff7d8a740 (LWP 1234)`, or `process 1234` before there are threads. */
export function threadTitle(thread: Thread, session: Session): string {
  const block = session.debugger.program(thread.id)?.register('fs_base') ?? 0n;
  return block === 0n ? `process ${thread.tid}` : `Thread ${hex(block)} (LWP ${thread.tid})`;
}
