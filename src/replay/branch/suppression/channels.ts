/**
 * Corrupt bytes on their way through pipes and files: which places of them are corrupt. A place of a file is its
 * position, one of a pipe the number of bytes that went through it before.
 */
import { SYSCALL_NAMES } from '../../../base/syscallNames.js';
import type { MemoryRange } from '../../../ir/meaning/strings.js';

/** An open file, right before or after a system call. */
export interface ChannelFile {
  /** The same for all who have it open. */
  readonly key: string;
  /** Undefined if bytes are taken in the order in which they came. */
  readonly position: number | undefined;
  /** Of what is taken in order: how many bytes wait. */
  readonly waiting: number;
}

interface Channel {
  /** Bytes that were read of a pipe. */
  taken: number;
  readonly corrupt: Set<number>;
}

const SENDS: ReadonlySet<string> = new Set(['write', 'pwrite64', 'sendto']);
const RECEIVES: ReadonlySet<string> = new Set(['read', 'pread64', 'recvfrom']);
const PLACED: ReadonlySet<string> = new Set(['pread64', 'pwrite64']);
/** More bytes of one call are not followed. */
const LONGEST = 1 << 20;

/** A system call with a descriptor, a buffer, its length and perhaps a place. */
export interface TransferCall {
  readonly number: number;
  readonly file: ChannelFile | undefined;
  readonly address: number;
  readonly length: number;
  readonly place: number;
}

export function isSending(number: number): boolean {
  return SENDS.has(SYSCALL_NAMES[number] ?? '');
}

export class CorruptChannels {
  private readonly channels = new Map<string, Channel>();

  /** Bytes are about to be sent. */
  send({ number, file, address, length, place }: TransferCall, isCorrupt: (address: number) => boolean): void {
    const name = SYSCALL_NAMES[number] ?? '';
    if (file === undefined || !SENDS.has(name) || length > LONGEST) return;
    const { taken, corrupt } = this.channel(file.key);
    const start = PLACED.has(name) ? place : (file.position ?? taken + file.waiting);
    for (let i = 0; i < length; i++) {
      if (isCorrupt(address + i)) corrupt.add(start + i);
      else corrupt.delete(start + i);
    }
  }

  /** `result` bytes have been received. Which of them are corrupt. */
  receive({ number, file, address, place }: TransferCall, result: number): MemoryRange[] {
    const name = SYSCALL_NAMES[number] ?? '';
    if (file === undefined || !RECEIVES.has(name) || result <= 0 || result > LONGEST) return [];
    const channel = this.channels.get(file.key);
    if (channel === undefined) return [];
    const start = PLACED.has(name) ? place : file.position === undefined ? channel.taken : file.position - result;
    if (file.position === undefined) channel.taken += result;
    const ranges: MemoryRange[] = [];
    for (let i = 0; i < result; i++) if (channel.corrupt.has(start + i)) ranges.push({ address: address + i, bytes: 1 });
    return ranges;
  }

  private channel(key: string): Channel {
    let channel = this.channels.get(key);
    if (channel === undefined) this.channels.set(key, (channel = { taken: 0, corrupt: new Set() }));
    return channel;
  }
}
