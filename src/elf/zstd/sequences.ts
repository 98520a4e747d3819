/** Sequences of a block: so many literals, then so many bytes from so far back (RFC 8878, 3.1.1.3.2). */
import { BackwardBits } from './bitStreams.js';
import { readStateTable, StateTable } from './stateTable.js';
import { fail } from './zstdError.js';

/** One of the three things that a sequence has: codes, of which each is a least value and a number of bits to add. */
interface Alphabet {
  readonly least: readonly number[];
  readonly bits: readonly number[];
  readonly accuracy: number;
  readonly usual: StateTable;
}

/** Tables of the block before, in the order of ALPHABETS. */
export type SequenceTables = readonly [StateTable, StateTable, StateTable];

type TakeSequence = (literals: number, match: number, offset: number) => void;

/** Least values that follow from each other and the bits of each. */
function alphabet(from: number, bits: readonly number[], accuracy: number, usual: StateTable): Alphabet {
  const least: number[] = [];
  for (let i = 0, value = from; i < bits.length; value += 2 ** (bits[i++] as number)) least.push(value);
  return { least, bits, accuracy, usual };
}

const times = (count: number, value: number): number[] => Array<number>(count).fill(value);

const LITERAL_LENGTHS = alphabet(
  0, [...times(16, 0), 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16], 9,
  StateTable.from([4, 3, ...times(11, 2), 1, 1, 1, ...times(9, 2), 3, 2, ...times(5, 1), ...times(4, -1)], 6),
);
const MATCH_LENGTHS = alphabet(
  3, [...times(32, 0), 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16], 9,
  StateTable.from([1, 4, 3, ...times(6, 2), ...times(37, 1), ...times(7, -1)], 6),
);
const OFFSETS: Alphabet = {
  least: Array.from({ length: 32 }, (_, code) => 2 ** code), bits: Array.from({ length: 32 }, (_, code) => code), accuracy: 8,
  usual: StateTable.from([...times(6, 1), 2, 2, 2, ...times(15, 1), ...times(5, -1)], 5),
};
const ALPHABETS = [LITERAL_LENGTHS, OFFSETS, MATCH_LENGTHS] as const;
const MODE = { USUAL: 0, ONE_SYMBOL: 1, STORED: 2, AGAIN: 3 } as const;

/** Hands out all sequences; returns the tables for the next block. */
export function readSequences(bytes: Uint8Array, known: SequenceTables | undefined, recent: RecentOffsets, take: TakeSequence): SequenceTables | undefined {
  const { count, length } = countOf(bytes);
  if (count === 0) return known;
  const { tables, bits } = readTables(bytes, length, known);
  const [literalTable, offsetTable, matchTable] = tables;
  let [literalState, offsetState, matchState] = [literalTable.start(bits), offsetTable.start(bits), matchTable.start(bits)];
  for (let i = 0; i < count; i++) {
    const offsetCode = value(OFFSETS, offsetTable, offsetState, bits);
    const match = value(MATCH_LENGTHS, matchTable, matchState, bits);
    const literals = value(LITERAL_LENGTHS, literalTable, literalState, bits);
    take(literals, match, recent.resolve(offsetCode, literals));
    if (i === count - 1) break;
    literalState = literalTable.next(literalState, bits);
    matchState = matchTable.next(matchState, bits);
    offsetState = offsetTable.next(offsetState, bits);
  }
  if (bits.left !== 0) fail('sequences do not fill their stream');
  return tables;
}

function value({ least, bits: widths }: Alphabet, table: StateTable, state: number, bits: BackwardBits): number {
  const code = table.symbols[state] as number;
  const width = widths[code];
  return width === undefined ? fail('sequence with an unknown code') : (least[code] as number) + bits.read(width);
}

function countOf(bytes: Uint8Array): { count: number; length: number } {
  const [first = fail('sequences are cut off'), second = 0, third = 0] = bytes;
  if (first < 128) return { count: first, length: 1 };
  return first < 255 ? { count: (first - 128) * 256 + second, length: 2 } : { count: second + third * 256 + 0x7f00, length: 3 };
}

function readTables(bytes: Uint8Array, length: number, known: SequenceTables | undefined): { tables: SequenceTables; bits: BackwardBits } {
  const modes = bytes[length] ?? fail('sequences are cut off');
  let at = length + 1;
  const table = (index: 0 | 1 | 2): StateTable => {
    const { usual, accuracy, least } = ALPHABETS[index];
    switch ((modes >> (6 - 2 * index)) & 3) {
      case MODE.USUAL: return usual;
      case MODE.ONE_SYMBOL: return StateTable.of(bytes[at++] ?? fail('sequences are cut off'));
      case MODE.AGAIN: return known?.[index] ?? fail('no table for sequences');
      default: {
        const stored = readStateTable(bytes.subarray(at), accuracy, least.length);
        at += stored.length;
        return stored.table;
      }
    }
  };
  const tables = [table(0), table(1), table(2)] as const;
  return { tables, bits: new BackwardBits(bytes.subarray(at)) };
}

/** The three offsets that were used last have short names. */
export class RecentOffsets {
  private first = 1;
  private second = 4;
  private third = 8;

  resolve(code: number, literals: number): number {
    if (code > 3) return this.use(code - 3, 2);
    // After no literals the last one would have been part of the match before.
    const index = code - 1 + (literals === 0 ? 1 : 0);
    switch (index) {
      case 0: return this.first;
      case 1: return this.use(this.second, 1);
      case 2: return this.use(this.third, 2);
      default: return this.use(this.first - 1, 2);
    }
  }

  /** Puts it first; what was at `index` goes. */
  private use(offset: number, index: 1 | 2): number {
    if (index === 2) this.third = this.second;
    this.second = this.first;
    this.first = offset;
    return offset;
  }
}
