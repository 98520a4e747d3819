/**
 * Finite state entropy: a table whose states stand for symbols and say which bits lead to the next state (RFC 8878,
 * 4.1). Likely symbols have many states, so that few bits are needed to get to one of them.
 */
import { type BackwardBits, ForwardBits } from './bitStreams.js';
import { fail } from './zstdError.js';

export class StateTable {
  constructor(
    /** States are numbers of so many bits. */
    readonly accuracy: number,
    readonly symbols: Uint8Array,
    private readonly bitCounts: Uint8Array,
    private readonly bases: Uint16Array,
  ) {}

  /** One symbol always. */
  static of(symbol: number): StateTable {
    return new StateTable(0, Uint8Array.of(symbol), new Uint8Array(1), new Uint16Array(1));
  }

  /** From shares of 2^accuracy; -1 is a share of less than one. */
  static from(shares: readonly number[], accuracy: number): StateTable {
    const size = 1 << accuracy;
    const symbols = spread(shares, size);
    const [bitCounts, bases] = [new Uint8Array(size), new Uint16Array(size)];
    const next = shares.map((share) => Math.abs(share));
    for (let state = 0; state < size; state++) {
      const symbol = symbols[state] as number;
      const turn = next[symbol] as number;
      next[symbol] = turn + 1;
      const bits = accuracy - (31 - Math.clz32(turn));
      bitCounts[state] = bits;
      bases[state] = (turn << bits) - size;
    }
    return new StateTable(accuracy, symbols, bitCounts, bases);
  }

  start(bits: BackwardBits): number {
    return bits.read(this.accuracy);
  }

  next(state: number, bits: BackwardBits): number {
    return (this.bases[state] as number) + bits.read(this.bitCounts[state] as number);
  }
}

/** Which symbol each state stands for: unlikely ones at the end, the others in strides over the rest. */
function spread(shares: readonly number[], size: number): Uint8Array {
  const symbols = new Uint8Array(size);
  let end = size;
  shares.forEach((share, symbol) => {
    if (share === -1) symbols[--end] = symbol;
  });
  const stride = (size >> 1) + (size >> 3) + 3;
  let at = 0;
  shares.forEach((share, symbol) => {
    for (let i = 0; i < share; i++) {
      symbols[at] = symbol;
      do at = (at + stride) & (size - 1);
      while (at >= end);
    }
  });
  return symbols;
}

/** A table as it is stored: the shares of its symbols, in numbers of as many bits as what is left needs. */
export function readStateTable(bytes: Uint8Array, mostAccuracy: number, mostSymbols: number): { readonly table: StateTable; readonly length: number } {
  const bits = new ForwardBits(bytes);
  const accuracy = bits.read(4) + 5;
  if (accuracy > mostAccuracy) fail('table is too large');
  const shares: number[] = [];
  let left = 1 << accuracy;
  while (left > 0) {
    const share = readShare(bits, left);
    shares.push(share);
    left -= Math.abs(share);
    if (share === 0) readZeros(bits, shares);
    if (shares.length > mostSymbols) fail('table has too many symbols');
  }
  if (left < 0) fail('table has more than it can');
  return { table: StateTable.from(shares, accuracy), length: bits.byteLength };
}

/** One of -1 … left: values that can do with one bit less do. */
function readShare(bits: ForwardBits, left: number): number {
  const width = 32 - Math.clz32(left + 1);
  const value = bits.read(width);
  const half = 1 << (width - 1);
  const short = 2 * half - 1 - (left + 1);
  if ((value & (half - 1)) < short) {
    bits.unread(1);
    return (value & (half - 1)) - 1;
  }
  return (value >= half ? value - short : value) - 1;
}

function readZeros(bits: ForwardBits, shares: number[]): void {
  let more: number;
  do {
    more = bits.read(2);
    for (let i = 0; i < more; i++) shares.push(0);
    if (shares.length > 512) fail('table has too many symbols');
  } while (more === 3);
}
