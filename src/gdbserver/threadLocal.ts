/** `qGetTLSAddr`: where a thread's copy of a thread-local variable is. */
import { threadLocalBlock } from '../debugger/program/threadLocal.js';
import type { Client } from './client.js';
import { parseHex } from './hex.js';

/** "thread,offset,link map". */
export function threadLocalAddress(client: Client, request: string): string {
  const [name = '', offset, map] = request.split(',');
  const thread = client.threadOf(name);
  const [at, linkMap] = [parseHex(offset), parseHex(map)];
  if (typeof thread !== 'object' || at === undefined || linkMap === undefined) return 'E16';
  const program = client.debuggee.programOf(thread.id);
  const block = program === undefined ? undefined : threadLocalBlock(program, BigInt(linkMap));
  return block === undefined ? 'E03' : (block + BigInt(at)).toString(16);
}
