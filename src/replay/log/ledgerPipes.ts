/**
 * What is in the guest's pipes, as far as the log knows: short writes are in it as inputs of their system calls. A pipe
 * that a process wrote more to, or used in another way, is unknown until it is empty again.
 */
import { GPR, type Slot } from '../../layout/cpuState.js';
import { MSG } from '../../linux/sockets/socketConstants.js';
import { SYSCALL_NAMES } from '../../base/syscallNames.js';
import type { LedgerCall } from './ledger.js';

interface PipeContent {
  /** Undefined: not known. */
  bytes: readonly number[] | undefined;
  /** How many there are. */
  filled: number;
}

const READS: ReadonlySet<string> = new Set(['read', 'recvfrom']);
const WRITES: ReadonlySet<string> = new Set(['write', 'sendto']);
const OTHER_READS: ReadonlySet<string> = new Set(['readv', 'preadv2', 'recvmsg', 'recvmmsg']);
/** Those that put in or take out something that the log does not show. */
const OTHER_TRANSFERS: ReadonlySet<string> = new Set([...OTHER_READS, ...WRITES, 'writev', 'pwritev2', 'splice', 'tee', 'vmsplice', 'sendfile', 'sendmsg', 'sendmmsg']);

/** Of sockets: whether it takes something out. What goes both ways goes out first. */
export function isReading({ number }: LedgerCall): boolean {
  const name = SYSCALL_NAMES[number] ?? '';
  return READS.has(name) || OTHER_READS.has(name);
}

export class LedgerPipes {
  private readonly contents = new Map<number, PipeContent>();

  /** What is in the pipe; undefined if that is not known. */
  content(pipe: number): Uint8Array | undefined {
    const content = this.contents.get(pipe);
    if (content === undefined || content.filled === 0) return new Uint8Array(0);
    return content.bytes?.length === content.filled ? Uint8Array.from(content.bytes) : undefined;
  }

  filled(pipe: number): number {
    return this.contents.get(pipe)?.filled ?? 0;
  }

  /** Noted right after each use. */
  setFilled(pipe: number, filled: number): void {
    const content = this.entry(pipe);
    content.filled = filled;
    if (filled === 0) content.bytes = [];
  }

  used(pipe: number, { number, inputs, registers }: LedgerCall, count: number): void {
    const content = this.entry(pipe);
    if (content.bytes === undefined) return;
    const [input, another] = inputs;
    const name = SYSCALL_NAMES[number] ?? '';
    if (READS.has(name)) {
      if (name === 'read' || !isPeek(registers)) content.bytes = content.bytes.slice(count);
    } else if (WRITES.has(name) && input !== undefined && another === undefined && typeof input.content !== 'number') {
      content.bytes = [...content.bytes, ...input.content.subarray(0, count)];
    } else if (OTHER_TRANSFERS.has(name)) content.bytes = undefined;
  }

  private entry(pipe: number): PipeContent {
    let content = this.contents.get(pipe);
    if (content === undefined) this.contents.set(pipe, (content = { bytes: [], filled: 0 }));
    return content;
  }
}

/** Of recvfrom. */
function isPeek(registers: Uint8Array): boolean {
  return (new DataView(registers.buffer, registers.byteOffset).getUint32((GPR[10] as Slot).offset, true) & MSG.PEEK) !== 0;
}
