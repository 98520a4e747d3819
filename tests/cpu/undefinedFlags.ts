/**
 * Which flags an instruction leaves undefined. What depends on the mnemonic alone comes from
 * iced-x86's tables (made from the manuals); what depends on operands is here.
 */
import { RflagsBits } from 'iced-x86';
import { FLAG } from '../../src/layout/cpuState.js';
import type { MachineState } from './machineState.js';
import type { Encoding } from './encodings.js';

const EFLAGS_BITS: readonly (readonly [RflagsBits, number])[] = [
  [RflagsBits.OF, FLAG.OF], [RflagsBits.SF, FLAG.SF], [RflagsBits.ZF, FLAG.ZF], [RflagsBits.AF, FLAG.AF],
  [RflagsBits.CF, FLAG.CF], [RflagsBits.PF, FLAG.PF],
];
/** The condition bits in the x87 status word. */
const FSW_BITS: readonly (readonly [RflagsBits, number])[] = [
  [RflagsBits.C0, 0x100], [RflagsBits.C1, 0x200], [RflagsBits.C2, 0x400], [RflagsBits.C3, 0x4000],
];

const RCX = 1;

type Rule = (count: number, bits: number) => number;

/** Shifts and rotates by the masked count; a count of 0 changes no flag. */
const SHIFT: Rule = (count, bits) => FLAG.AF | (count === 1 ? 0 : FLAG.OF) | (count >= bits ? FLAG.CF : 0);
const SHIFT_ARITHMETIC: Rule = (count) => FLAG.AF | (count === 1 ? 0 : FLAG.OF);
const ROTATE: Rule = (count) => (count === 1 ? 0 : FLAG.OF);
const SHIFT_DOUBLE: Rule = (count, bits) =>
  count > bits ? FLAG.AF | FLAG.OF | FLAG.CF | FLAG.SF | FLAG.ZF | FLAG.PF : FLAG.AF | (count === 1 ? 0 : FLAG.OF);

const BY_COUNT: ReadonlyMap<string, Rule> = new Map([
  ['shl', SHIFT], ['sal', SHIFT], ['shr', SHIFT], ['sar', SHIFT_ARITHMETIC],
  ['rol', ROTATE], ['ror', ROTATE], ['rcl', ROTATE], ['rcr', ROTATE], ['shld', SHIFT_DOUBLE], ['shrd', SHIFT_DOUBLE],
]);

/** Not what they say on CPUs that have them: ours executes bsf and bsr. */
const BIT_SCAN = FLAG.OF | FLAG.SF | FLAG.AF | FLAG.CF | FLAG.PF;
const FIXED: ReadonlyMap<string, number> = new Map([['lzcnt', BIT_SCAN], ['tzcnt', BIT_SCAN]]);

export function undefinedEflags(encoding: Encoding, before: MachineState): number {
  const rule = BY_COUNT.get(encoding.mnemonic);
  if (rule === undefined) return FIXED.get(encoding.mnemonic) ?? toEflags(encoding.undefinedFlags);
  const bits = operandBits(encoding);
  const given = encoding.immediate ?? before.gpr(RCX);
  const count = Number(given & (bits === 64 ? 63n : 31n));
  return count === 0 ? 0 : rule(count, bits);
}

export function undefinedFsw(encoding: Encoding): number {
  return translate(encoding.undefinedFlags, FSW_BITS);
}

/** The EFLAGS bits among iced's RflagsBits. */
export function toEflags(flags: number): number {
  return translate(flags, EFLAGS_BITS);
}

function operandBits(encoding: Encoding): number {
  return Number(/rm(8|16|32|64)/.exec(encoding.form.name)?.[1] ?? 64);
}

function translate(flags: number, table: readonly (readonly [RflagsBits, number])[]): number {
  return table.reduce((mask, [theirs, ours]) => mask | ((flags & theirs) !== 0 ? ours : 0), 0);
}
