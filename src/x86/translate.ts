/**
 * Turns guest code into a block of IR: decodes from an address until an instruction ends the block,
 * or until it is long enough.
 */
import { Decoder, DecoderOptions, Formatter, FormatterSyntax, type Instruction, Mnemonic } from 'iced-x86';
import { type GuestAddr, guestAddr, PAGE_SIZE } from '../base/types.js';
import { BuilderMemo, IrBuilder } from '../ir/builder.js';
import { applyPasses, type BlockPass } from '../ir/blockPass.js';
import type { Block, End } from '../ir/ir.js';
import { liftTest, type RegisterTest } from '../ir/registerTest.js';
import { CodeReader, MAX_STRETCH } from './codeReader.js';
import { FAMILIES } from './families.js';
import { type AccessBound, isPointerHook, liftBound, liftPointerHook } from './hooks.js';
import { Lift, type LiftFn } from './lift.js';
import { SHARED_MNEMONICS, stringFor } from './strings.js';

/** Longest block, in instructions. */
export const MAX_BLOCK_INSTRUCTIONS = 64;
const LONGEST_INSTRUCTION = 15;
/** In the place of an exception's number, which all are smaller: a test of registers holds. */
export const TEST_HOLDS = 0x100;
/** Of hooks (hooks.ts). */
const HOOK_MNEMONIC = Mnemonic.Ud1;

/** `length` bytes of executable memory at `address`, fewer if it ends there, none if there is none. */
type Fetch = (address: GuestAddr, length: number) => Uint8Array;

/** More than there are mnemonics in iced-x86. */
const MNEMONICS = 4096;
const table: (LiftFn | undefined)[] = new Array<LiftFn | undefined>(MNEMONICS).fill(undefined);
for (const family of FAMILIES) {
  for (const [mnemonic, lift] of family) table[mnemonic] = lift;
}

// Two mnemonics name both a string instruction and an SSE one.
for (const mnemonic of SHARED_MNEMONICS) {
  const sse = table[mnemonic];
  table[mnemonic] = (l) => {
    const fn = stringFor(l.insn.code) ?? sse;
    return fn === undefined ? { kind: 'unknown', at: l.insn.address, text: disassemble(l.insn.raw) } : fn(l);
  };
}

/** The lifting function of a mnemonic, if we have one. */
export function lifterFor(mnemonic: Mnemonic): LiftFn | undefined {
  return table[mnemonic];
}

export class Translator {
  private readonly reader: CodeReader;
  private readonly memo: BuilderMemo;

  /** Translators of other memories can be had from the first one: its decoder and tables serve them all. */
  constructor(
    private readonly fetch: Fetch,
    first?: Translator,
  ) {
    this.reader = first?.reader ?? new CodeReader();
    this.memo = first?.memo ?? new BuilderMemo();
  }

  /** After a null from translate: the address that could not be fetched. */
  missing = guestAddr(0);
  /** What becomes of every block, in this order. */
  passes: readonly BlockPass[] = [];
  /** Blocks end in front of these addresses. */
  boundaries: ReadonlySet<number> | undefined;
  /** Returns from functions that an analysis wants to know of. */
  leaves: ReadonlySet<number> | undefined;
  /** Accesses that have to stay in a variable. */
  bounds: ReadonlyMap<number, AccessBound> | undefined;

  /** Where the engine stops if a test of registers holds: boundaries, too. */
  tests: ReadonlyMap<number, RegisterTest> | undefined;

  /** Whether an access or a return there is translated in a way of its own. */
  hasVariablesIn(start: number, next: number): boolean {
    const { leaves, bounds } = this;
    if (leaves === undefined && bounds === undefined) return false;
    for (let at = start; at < next; at++) if (leaves?.has(at) === true || bounds?.has(at) === true) return true;
    return false;
  }

  /**
   * The block at `start`, of at most `limit` instructions. Null if the first instruction cannot be
   * fetched. A block whose next instruction cannot be fetched, or reaches into another page, ends
   * with a jump to it: only when control gets there is that page needed. It also ends where `isKnown`
   * says that another block begins.
   */
  translate(start: GuestAddr, limit: number = MAX_BLOCK_INSTRUCTIONS, isKnown?: (address: GuestAddr) => boolean): Block | null {
    return this.rewritten(this.translatePlainly(start, limit, isKnown), false);
  }

  /** One instruction that is executed alone. */
  translateAlone(start: GuestAddr): Block | null {
    return this.rewritten(this.translatePlainly(start, 1), true);
  }

  private rewritten(block: Block | null, isAlone: boolean): Block | null {
    if (block === null || this.passes.length === 0) return block;
    return applyPasses(this.passes, block, { isAlone, apart: () => this.translatePlainly(block.start, block.instructions, undefined, true) as Block });
  }

  private translatePlainly(start: GuestAddr, limit: number, isKnown?: (address: GuestAddr) => boolean, isApart = false): Block | null {
    const onPage = PAGE_SIZE - (start % PAGE_SIZE);
    const bytes = this.fetch(start, Math.min(limit * LONGEST_INSTRUCTION, Math.max(onPage, LONGEST_INSTRUCTION), MAX_STRETCH));
    const { reader } = this;
    const { insn } = reader;
    reader.start(bytes, start);
    const b = new IrBuilder(start, this.memo, isApart);
    const lift = new Lift(b, insn);
    let address = start;
    for (let count = 0; ; count++) {
      if (count >= limit || (count > 0 && (this.boundaries?.has(address) === true || isKnown?.(address) === true))) {
        return b.finish({ kind: 'jump', target: address }, address);
      }
      const complete = reader.read(address);
      const isPointer = complete && (insn.mnemonic === Mnemonic.Lea || insn.mnemonic === Mnemonic.Mov) && isPointerHook(bytes, address - start);
      const fn = complete && !(count > 0 && (insn.mnemonic === HOOK_MNEMONIC || isPointer)) ? (isPointer ? liftPointerHook : table[insn.mnemonic]) : undefined;
      if (fn === undefined) {
        // What cannot be read or lifted here gets a block of its own: control may never get there. So do hooks: time is
        // known where a block begins.
        if (count > 0) return b.finish({ kind: 'jump', target: address }, address);
        if (!complete && reader.isCutOff) {
          this.missing = guestAddr(start + bytes.length);
          return null;
        }
        b.insn(address);
        const text = complete ? disassemble(insn.raw) : '(bad)';
        return b.finish({ kind: 'unknown', at: address, text }, complete ? insn.next : address);
      }
      b.insn(address);
      const test = this.tests?.get(address);
      if (test !== undefined) b.opImm('trapIf', TEST_HOLDS, liftTest(b, test));
      const bound = this.bounds?.get(address);
      if (bound !== undefined) liftBound(lift, bound);
      lift.isWatchedReturn = this.leaves?.has(address) === true;
      const end: End | void = fn(lift);
      address = insn.next;
      if (end !== undefined) return b.finish(end, address);
      if (isPointer) return b.finish({ kind: 'jump', target: address }, address);
    }
  }
}

/** Intel syntax, lower case. */
function disassemble(raw: Instruction): string {
  const formatter = new Formatter(FormatterSyntax.Intel);
  // As objdump writes numbers.
  Object.assign(formatter, {
    hexPrefix: '0x', hexSuffix: '', uppercaseHex: false, branchLeadingZeros: false, showBranchSize: false, spaceAfterOperandSeparator: true,
  });
  try {
    return formatter.format(raw);
  } finally {
    formatter.free();
  }
}

/** An instruction for people to look at. */
export interface DecodedInstruction {
  readonly text: string;
  readonly length: number;
  /** Where it jumps if its condition holds; undefined if it is no conditional jump. */
  readonly jumpsTo: bigint | undefined;
}

export function decodeOne(bytes: Uint8Array, address: GuestAddr): DecodedInstruction {
  const decoder = new Decoder(64, bytes, DecoderOptions.None);
  decoder.ip = BigInt(address);
  const raw = decoder.decode();
  const isConditional = raw.isJccShortOrNear || raw.isJcxShort || raw.isLoop || raw.isLoopcc;
  const jumpsTo = isConditional ? raw.nearBranchTarget : undefined;
  const out = { text: raw.isInvalid ? '(bad)' : disassemble(raw), length: raw.isInvalid ? 1 : raw.length, jumpsTo };
  raw.free();
  decoder.free();
  return out;
}

