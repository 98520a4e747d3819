/** What repeated string instructions (rep.*) do: how far they go, what they read and where they write. */
import { DF, FS_BASE, GS_BASE, RAX, RCX, RDI, RSI, type Slot } from '../../layout/cpuState.js';
import type { OpDef } from '../opDef.js';
import { REP } from '../repFlags.js';

/** Bytes of guest memory. */
export interface MemoryRange {
  readonly address: number;
  readonly bytes: number;
}

interface StringMachine {
  slot(offset: number, type: 'i32' | 'i64'): bigint;
  memory(address: number, bytes: number): bigint | undefined;
}

/** The ranges that a string instruction walks through. */
interface StringWalk {
  /** Elements that it is done with when it has ended; undefined if memory that it compares is not known. */
  readonly count: number | undefined;
  readonly size: number;
  readonly isBackward: boolean;
  /** Where its first elements are; undefined if it has no such operand. */
  readonly source: number | undefined;
  readonly target: number | undefined;
}

const HALF = 0xffff_ffffn;

function register(slot: Slot, imm: number, machine: StringMachine): bigint {
  const value = machine.slot(slot.offset, 'i64');
  return (imm & REP.ADDRESS_32) !== 0 ? value & HALF : value;
}

/** How often it is to be repeated. */
export function repeatedCount(imm: number, machine: StringMachine): bigint {
  return register(RCX, imm, machine);
}

function segment(imm: number, machine: StringMachine): bigint {
  if ((imm & REP.FS) !== 0) return machine.slot(FS_BASE.offset, 'i64');
  return (imm & REP.GS) !== 0 ? machine.slot(GS_BASE.offset, 'i64') : 0n;
}

const USES_SOURCE: ReadonlySet<string> = new Set(['rep.movs', 'rep.lods', 'rep.cmps']);

/** Of the rep.* operation, as the machine is before it. */
export function stringWalk({ name }: OpDef, imm: number, machine: StringMachine): StringWalk {
  const base = segment(imm, machine);
  const walk = {
    size: imm & REP.SIZE_MASK,
    isBackward: machine.slot(DF.offset, 'i32') !== 0n,
    source: USES_SOURCE.has(name) ? Number(BigInt.asUintN(64, register(RSI, imm, machine) + base)) : undefined,
    target: name === 'rep.lods' ? undefined : Number(register(RDI, imm, machine)),
  };
  const most = Number(repeatedCount(imm, machine));
  const isComparison = name === 'rep.cmps' || name === 'rep.scas';
  return { ...walk, count: isComparison ? compared(walk, most, imm, machine) : most };
}

/** How many elements a comparison looks at. */
function compared({ size, isBackward, source, target }: Omit<StringWalk, 'count'>, most: number, imm: number, machine: StringMachine): number | undefined {
  const accumulator = BigInt.asUintN(size * 8, machine.slot(RAX.offset, 'i64'));
  const endsAtEqual = (imm & REP.WHILE_NOT_EQUAL) !== 0;
  const step = isBackward ? -size : size;
  for (let i = 0; i < most; i++) {
    const x = source === undefined ? accumulator : machine.memory(source + i * step, size);
    const y = machine.memory((target as number) + i * step, size);
    if (x === undefined || y === undefined) return undefined;
    if ((x === y) === endsAtEqual) return i + 1;
  }
  return most;
}

/** The bytes that an operand of a walk covers. */
export function walkedRange({ count = 0, size, isBackward }: StringWalk, first: number | undefined): readonly MemoryRange[] {
  if (first === undefined || count === 0) return [];
  return [{ address: isBackward ? first - (count - 1) * size : first, bytes: count * size }];
}

/**
 * Where a byte that rep movs leaves at an address comes from. Elements are moved one after the other: a target that
 * overlaps its source gets bytes again that it got just before.
 */
export function movedFrom({ size, isBackward, source = 0, target = 0 }: StringWalk, address: number): number {
  const distance = Math.abs(target - source);
  // A backward move is a forward one of mirrored addresses.
  const isOverlapping = isBackward ? target < source : target > source;
  let at = isBackward ? target + size - 1 - address : address - target;
  if (isOverlapping) while (at >= distance && at - distance < Math.floor(at / size) * size) at -= distance;
  return isBackward ? source + size - 1 - at : source + at;
}
