/** Where in memory the bytes lie that a system call sends or receives: in its arguments, or in arrays of buffers. */
import { RDX, RSI } from '../../layout/cpuState.js';
import type { Input } from '../log/inputs.js';

export interface Range {
  readonly address: number;
  readonly bytes: number;
}

export interface CallMemory {
  readonly name: string;
  readonly registers: DataView;
  /** What the call read from memory. */
  readonly inputs: readonly Input[];
}

/** They take bytes from memory, and bring bytes there. */
export const SENDS: ReadonlySet<string> = new Set(['write', 'pwrite64', 'writev', 'pwritev', 'pwritev2', 'sendto', 'sendmsg', 'vmsplice']);
export const RECEIVES: ReadonlySet<string> = new Set(['read', 'pread64', 'readv', 'preadv', 'preadv2', 'recvfrom', 'recvmsg']);
const VECTORED: ReadonlySet<string> = new Set(['readv', 'writev', 'preadv', 'pwritev', 'preadv2', 'pwritev2', 'vmsplice']);
const MESSAGES: ReadonlySet<string> = new Set(['sendmsg', 'recvmsg']);
/** In struct msghdr: the array of buffers, and how many there are. */
const MESSAGE_VECTORS = 16;
const MESSAGE_COUNT = 24;
const VECTOR_BYTES = 16;

/** Undefined: the recording does not say. */
export function transferRanges(call: CallMemory): readonly Range[] | undefined {
  const { name, registers } = call;
  const [second, third] = [Number(registers.getBigUint64(RSI.offset, true)), Number(registers.getBigUint64(RDX.offset, true))];
  if (VECTORED.has(name)) return vectors(call, second, third);
  if (!MESSAGES.has(name)) return [{ address: second, bytes: third }];
  const [first, count] = [wordAt(call, second + MESSAGE_VECTORS), wordAt(call, second + MESSAGE_COUNT)];
  return first === undefined || count === undefined ? undefined : vectors(call, first, count);
}

/** What a call takes from memory to send it, at most. */
export function sentBy(call: CallMemory): readonly Range[] {
  return SENDS.has(call.name) ? (transferRanges(call) ?? []) : [];
}

/** What the call has read at an address, without what it sends. */
export function withoutRanges({ address, length }: Input, ranges: readonly Range[]): readonly Range[] {
  let rest: Range[] = [{ address, bytes: length }];
  for (const cut of ranges) {
    rest = rest.flatMap((one) => {
      const [end, cutEnd] = [one.address + one.bytes, cut.address + cut.bytes];
      if (cutEnd <= one.address || cut.address >= end) return [one];
      return [{ address: one.address, bytes: cut.address - one.address }, { address: cutEnd, bytes: end - cutEnd }].filter(({ bytes }) => bytes > 0);
    });
  }
  return rest;
}

/** So many bytes of them, after others. */
export function partOfRanges(ranges: readonly Range[], first: number, count: number): readonly Range[] {
  let [skip, left] = [first, count];
  return ranges.flatMap(({ address, bytes }) => {
    const used = Math.max(0, Math.min(bytes - skip, left));
    const part = used === 0 ? [] : [{ address: address + skip, bytes: used }];
    skip = Math.max(0, skip - bytes);
    left -= used;
    return part;
  });
}

function vectors(call: CallMemory, first: number, count: number): readonly Range[] | undefined {
  const found: Range[] = [];
  for (let i = 0; i < count; i++) {
    const bytes = wordAt(call, first + i * VECTOR_BYTES + 8);
    if (bytes === 0) continue;
    const address = wordAt(call, first + i * VECTOR_BYTES);
    if (address === undefined || bytes === undefined) return undefined;
    found.push({ address, bytes });
  }
  return found;
}

function wordAt({ inputs }: CallMemory, address: number): number | undefined {
  for (const input of inputs) {
    const at = address - input.address;
    if (at < 0 || at + 8 > input.length || typeof input.content === 'number') continue;
    return Number(new DataView(input.content.buffer, input.content.byteOffset + at).getBigUint64(0, true));
  }
  return undefined;
}
