/**
 * String instructions: movs stos lods cmps scas. Without a rep prefix they are plain loads and
 * stores; with one they are helpers that run the whole loop (see the rep.* operations).
 *
 * The mnemonics movsd and cmpsd also name SSE instructions: `stringFor` tells by the exact form.
 */
import { Code, Mnemonic, OpKind, Register } from 'iced-x86';
import { CC_OP, CC_X, CC_Y, CC_Z, DF, RAX, RDI, RSI, SCRATCH_X, SCRATCH_Y, type Slot } from '../layout/cpuState.js';
import { ccOp } from '../ir/flags.js';
import type { Value } from '../ir/ir.js';
import { REP } from '../ir/repFlags.js';
import type { Address, Family, Lift, LiftFn, Size } from './lift.js';

const ADDRESS_32: ReadonlySet<OpKind> = new Set([OpKind.MemorySegESI, OpKind.MemoryESEDI]);

/** 67h: the instruction uses esi, edi and ecx. */
function isNarrow(l: Lift): boolean {
  return ADDRESS_32.has(l.insn.kind(0)) || ADDRESS_32.has(l.insn.kind(1));
}

function pointer(l: Lift, slot: Slot): Value {
  const full = l.b.get(slot);
  return isNarrow(l) ? l.b.extend(l.b.wrap(full)) : full;
}

function source(l: Lift): Address {
  return l.segmented({ base: pointer(l, RSI), disp: 0 });
}

/** The destination's segment cannot be overridden. */
function destination(l: Lift): Address {
  return { base: pointer(l, RDI), disp: 0 };
}

/** Moves rsi or rdi to the next element, in the direction that DF says. */
function advance(l: Lift, size: Size, ...slots: Slot[]): void {
  const { b } = l;
  const step = b.op('i64.select', b.i64(-size), b.i64(size), b.get(DF));
  for (const slot of slots) {
    const moved = b.op('i64.add', b.get(slot), step);
    b.set(slot, isNarrow(l) ? b.extend(b.wrap(moved)) : moved);
  }
}

/** The immediate of a rep.* operation. */
function repImm(l: Lift, size: Size): number {
  const { hasRepne, segmentPrefix } = l.insn;
  const segment = segmentPrefix === Register.FS ? REP.FS : segmentPrefix === Register.GS ? REP.GS : 0;
  return size | (hasRepne ? REP.WHILE_NOT_EQUAL : 0) | (isNarrow(l) ? REP.ADDRESS_32 : 0) | segment;
}

function isRepeated(l: Lift): boolean {
  return l.insn.hasRep || l.insn.hasRepne;
}

function movs(size: Size): LiftFn {
  return (l) => {
    if (isRepeated(l)) l.b.opImm('rep.movs', repImm(l, size));
    else {
      l.store(size, destination(l), l.load(size, source(l)));
      advance(l, size, RSI, RDI);
    }
  };
}

function stos(size: Size): LiftFn {
  return (l) => {
    if (isRepeated(l)) l.b.opImm('rep.stos', repImm(l, size));
    else {
      l.store(size, destination(l), l.readGpr({ slot: RAX, bytes: size, high: false }));
      advance(l, size, RDI);
    }
  };
}

function lods(size: Size): LiftFn {
  return (l) => {
    if (isRepeated(l)) l.b.opImm('rep.lods', repImm(l, size));
    else {
      l.writeGpr({ slot: RAX, bytes: size, high: false }, l.load(size, source(l)));
      advance(l, size, RSI);
    }
  };
}

function cmps(size: Size): LiftFn {
  return (l) => {
    if (isRepeated(l)) repeatedCompare(l, 'rep.cmps', size);
    else {
      const x = l.load(size, source(l));
      const y = l.load(size, destination(l));
      advance(l, size, RSI, RDI);
      l.setFlags('SUB', size, x, y);
    }
  };
}

function scas(size: Size): LiftFn {
  return (l) => {
    if (isRepeated(l)) repeatedCompare(l, 'rep.scas', size);
    else {
      const y = l.load(size, destination(l));
      advance(l, size, RDI);
      l.setFlags('SUB', size, l.readGpr({ slot: RAX, bytes: size, high: false }), y);
    }
  };
}

/** The flags are those of the last comparison, or the old ones if rcx was 0. */
function repeatedCompare(l: Lift, name: string, size: Size): void {
  const { b } = l;
  const ran = b.opImm(name, repImm(l, size));
  const kind = b.op('i32.select', b.i32(ccOp('SUB', size)), b.get(CC_OP), ran);
  const x = b.op('i64.select', b.get(SCRATCH_X), b.get(CC_X), ran);
  const y = b.op('i64.select', b.get(SCRATCH_Y), b.get(CC_Y), ran);
  b.setFlags(kind, x, y, b.get(CC_Z));
}

/** The string meaning of forms whose mnemonic they share with SSE. */
const SHARED: ReadonlyMap<Code, LiftFn> = new Map([
  [Code.Movsd_m32_m32, movs(4)],
  [Code.Cmpsd_m32_m32, cmps(4)],
]);
export const SHARED_MNEMONICS: readonly Mnemonic[] = [Mnemonic.Movsd, Mnemonic.Cmpsd];

export function stringFor(code: Code): LiftFn | undefined {
  return SHARED.get(code);
}

export const STRINGS: Family = new Map<Mnemonic, LiftFn>([
  [Mnemonic.Movsb, movs(1)],
  [Mnemonic.Movsw, movs(2)],
  [Mnemonic.Movsq, movs(8)],
  [Mnemonic.Stosb, stos(1)],
  [Mnemonic.Stosw, stos(2)],
  [Mnemonic.Stosd, stos(4)],
  [Mnemonic.Stosq, stos(8)],
  [Mnemonic.Lodsb, lods(1)],
  [Mnemonic.Lodsw, lods(2)],
  [Mnemonic.Lodsd, lods(4)],
  [Mnemonic.Lodsq, lods(8)],
  [Mnemonic.Cmpsb, cmps(1)],
  [Mnemonic.Cmpsw, cmps(2)],
  [Mnemonic.Cmpsq, cmps(8)],
  [Mnemonic.Scasb, scas(1)],
  [Mnemonic.Scasw, scas(2)],
  [Mnemonic.Scasd, scas(4)],
  [Mnemonic.Scasq, scas(8)],
]);
