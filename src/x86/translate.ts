/**
 * Turns guest code into a block of IR: decodes from an address until an instruction ends the block,
 * or until it is long enough.
 */
import { Decoder, DecoderOptions, Formatter, FormatterSyntax, Instruction, type Mnemonic } from 'iced-x86';
import type { GuestAddr } from '../base/types.js';

import { IrBuilder } from '../ir/builder.js';
import type { Block, End } from '../ir/ir.js';
import { FAMILIES } from './families.js';
import { Insn } from './insn.js';
import { Lift, type LiftFn } from './lift.js';
import { SHARED_MNEMONICS, stringFor } from './strings.js';

/** Longest block, in instructions. */
export const MAX_BLOCK_INSTRUCTIONS = 64;
const LONGEST_INSTRUCTION = 15;

/** `length` bytes of executable memory at `address`, fewer if it ends there, none if there is none. */
export type Fetch = (address: GuestAddr, length: number) => Uint8Array;

const table: (LiftFn | undefined)[] = [];
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
  private readonly insn = new Insn(new Instruction());

  constructor(private readonly fetch: Fetch) {}

  /**
   * The block at `start`, of at most `limit` instructions. Null if the very first byte cannot be
   * fetched. A block whose next instruction cannot be fetched ends with a jump to it: the fault
   * happens when control gets there.
   */
  translate(start: GuestAddr, limit: number = MAX_BLOCK_INSTRUCTIONS): Block | null {
    const bytes = this.fetch(start, Math.min(limit * LONGEST_INSTRUCTION, 1024));
    if (bytes.length === 0) return null;
    const decoder = new Decoder(64, bytes, DecoderOptions.None);
    try {
      return this.translateWith(decoder, bytes, start, limit);
    } finally {
      decoder.free();
    }
  }

  private translateWith(decoder: Decoder, bytes: Uint8Array, start: GuestAddr, limit: number): Block {
    decoder.ip = BigInt(start);
    const b = new IrBuilder(start);
    const { insn } = this;
    const lift = new Lift(b, insn);
    let address = start;
    for (let count = 0; ; count++) {
      const left = bytes.length - (address - start);
      const needsMore = left < LONGEST_INSTRUCTION && bytes.length >= 1024;
      if (count > 0 && (count >= limit || left <= 0 || needsMore)) return b.finish({ kind: 'jump', target: address }, address);
      decoder.decodeOut(insn.raw);
      if (insn.raw.isInvalid) {
        if (count > 0) return b.finish({ kind: 'jump', target: address }, address);
        b.insn(address);
        return b.finish({ kind: 'unknown', at: address, text: '(bad)' }, address);
      }
      insn.refresh(address);
      const fn = table[insn.mnemonic];
      if (fn === undefined) {
        if (count > 0) return b.finish({ kind: 'jump', target: address }, address);
        b.insn(address);
        return b.finish({ kind: 'unknown', at: address, text: disassemble(insn.raw) }, insn.next);
      }
      b.insn(address);
      const end: End | void = fn(lift);
      address = insn.next;
      if (end !== undefined) return b.finish(end, address);
    }
  }
}

/** Intel syntax, lower case. */
export function disassemble(raw: Instruction): string {
  const formatter = new Formatter(FormatterSyntax.Intel);
  try {
    return formatter.format(raw);
  } finally {
    formatter.free();
  }
}

export function decodeOne(bytes: Uint8Array, address: GuestAddr): { text: string; length: number } {
  const decoder = new Decoder(64, bytes, DecoderOptions.None);
  decoder.ip = BigInt(address);
  const raw = decoder.decode();
  const out = { text: raw.isInvalid ? '(bad)' : disassemble(raw), length: raw.isInvalid ? 1 : raw.length };
  raw.free();
  decoder.free();
  return out;
}

