/**
 * Threads as the protocol names them: `p<pid>.<tid>` in hexadecimal, or `<tid>` for clients that know only one process.
 */
import { parseHex } from './hex.js';

/** 0: any; 'all': all of them. */
type Named = number | 'all';

interface ThreadName {
  readonly pid: Named | undefined;
  readonly tid: Named;
}

function parsePart(text: string): Named | undefined {
  return text === '-1' ? 'all' : parseHex(text);
}

/** Undefined if it is not a name. */
export function parseThread(text: string): ThreadName | undefined {
  const [, pid, tid] = /^p(-?[0-9a-f]+)(?:\.(-?[0-9a-f]+))?$/i.exec(text) ?? [];
  if (pid === undefined) {
    const plain = parsePart(text);
    return plain === undefined ? undefined : { pid: undefined, tid: plain };
  }
  const [process, thread] = [parsePart(pid), tid === undefined ? ('all' as const) : parsePart(tid)];
  return process === undefined || thread === undefined ? undefined : { pid: process, tid: thread };
}

export function threadName(pid: number, tid: number, hasProcesses: boolean): string {
  return hasProcesses ? `p${pid.toString(16)}.${tid.toString(16)}` : tid.toString(16);
}
