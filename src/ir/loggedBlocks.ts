/**
 * The blocks that a log names by number (logOps.ts), each described once. A number stands for code at an address: the
 * same code has the same
 * number in every process, and code that is written over it has another.
 */
import type { Block, Node } from './ir.js';
import { OP_BY_NAME } from './ops.js';

const INSN = OP_BY_NAME.get('insn')?.id;

/** One place of an instruction that accesses memory. */
export interface LoggedAccess {
  /** Which instruction of the block. */
  readonly instruction: number;
  readonly isWrite: boolean;
  /** Of a string instruction that repeats: those of an element. */
  readonly bytes: number;
  /** Which of the block's entries in the log of addresses has the address. */
  readonly entry: number;
  /**
   * Of a string instruction that repeats: which entry has the number of elements. The address is that of the first;
   * if the number is negative the others lie below it.
   */
  readonly count?: number;
}

/** How control leaves a block. `cut`: in the middle, because something happened there. */
export type LoggedEnd = 'jump' | 'call' | 'return' | 'syscall' | 'trap' | 'cut';

export interface LoggedBlock {
  readonly number: number;
  readonly start: number;
  /** First address after the last instruction. */
  readonly next: number;
  /** Of every instruction, in bytes. */
  readonly lengths: Uint8Array;
  readonly end: LoggedEnd;
  /** In the order of the instructions; none if addresses are not logged. */
  readonly accesses: readonly LoggedAccess[];
  /** Entries in the log of addresses. */
  readonly entries: number;
}

interface KnownBlock extends LoggedBlock {
  /** Of its operations: code that was written over may have instructions of the same lengths. */
  readonly hash: number;
  /** Those that are its first instructions, by how many. */
  prefixes?: Map<number, number>;
}

export class LoggedBlocks {
  private readonly blocks: KnownBlock[] = [];
  private readonly byStart = new Map<number, number[]>();

  /** Numbers are from 0 on. */
  get count(): number {
    return this.blocks.length;
  }

  get(number: number): LoggedBlock {
    return this.blocks[number] as LoggedBlock;
  }

  /** The number of a block which accesses memory so. */
  numberOf(block: Block, accesses: readonly LoggedAccess[], entries: number): number {
    const hash = hashOf(block);
    const same = this.byStart.get(block.start) ?? [];
    const known = same.find((number) => {
      const other = this.blocks[number] as KnownBlock;
      return other.hash === hash && other.next === block.next && other.lengths.length === block.instructions && other.entries === entries;
    });
    if (known !== undefined) return known;
    const { start, next } = block;
    const number = this.add({ start, next, lengths: lengthsOf(block), end: endOf(block), accesses, entries, hash });
    this.byStart.set(start, [...same, number]);
    return number;
  }

  /** The number of what is left of a block if only the first of its instructions, at least one, were executed. */
  prefixOf(number: number, instructions: number): number {
    const whole = this.blocks[number] as KnownBlock;
    const prefixes = (whole.prefixes ??= new Map());
    const known = prefixes.get(instructions);
    if (known !== undefined) return known;
    const lengths = whole.lengths.slice(0, instructions);
    const accesses = whole.accesses.filter(({ instruction }) => instruction < instructions);
    const next = lengths.reduce((sum, length) => sum + length, whole.start);
    const prefix = this.add({ ...whole, next, lengths, accesses, entries: entriesBefore(whole, instructions), end: 'cut' });
    prefixes.set(instructions, prefix);
    return prefix;
  }

  private add(block: Omit<KnownBlock, 'number' | 'prefixes'>): number {
    const { start, next, lengths, end, accesses, entries, hash } = block;
    return this.blocks.push({ number: this.blocks.length, start, next, lengths, end, accesses, entries, hash }) - 1;
  }
}

/** Entries of the instructions before one. */
export function entriesBefore({ accesses, entries }: LoggedBlock, instruction: number): number {
  return accesses.find((access) => access.instruction >= instruction)?.entry ?? entries;
}

function endOf({ end }: Block): LoggedEnd {
  switch (end.kind) {
    case 'jump':
    case 'branch':
      return 'jump';
    case 'indirect':
      return end.via;
    case 'unknown':
      return 'trap';
    default:
      return end.kind;
  }
}

function lengthsOf({ nodes, next, instructions }: Block): Uint8Array {
  const lengths = new Uint8Array(instructions);
  let [index, end] = [instructions, next as number];
  for (let i = nodes.length - 1; i >= 0; i--) {
    const { op, imm } = nodes[i] as Node;
    if (op !== INSN) continue;
    lengths[--index] = end - imm;
    end = imm;
  }
  return lengths;
}

const TWO_32 = 0x1_0000_0000n;
const FACTOR = 0x0100_0193;

function hashOf({ nodes }: Block): number {
  let hash = nodes.length;
  const add = (word: number): void => void (hash = Math.imul(hash ^ word, FACTOR));
  for (const { op, a, b, c, d, imm, big, bytes } of nodes) {
    add(op);
    add(a ^ (b << 8) ^ (c << 16) ^ (d << 24));
    add(imm | 0);
    if (big !== 0n) {
      add(Number(BigInt.asIntN(32, big)));
      add(Number(BigInt.asIntN(32, big / TWO_32)));
    }
    for (const byte of bytes ?? []) add(byte);
  }
  return hash;
}
