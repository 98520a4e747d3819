/**
 * What functions have in their frames, by debug information: of functions that were compiled without optimisation,
 * since only those have their variables in one place and take their addresses by instructions that name them. GCC's,
 * because others write the address behind an array as if it were that of its neighbour.
 */
import type { DebugInfo } from '../../dwarf/debugInfo.js';
import { TAG } from '../../dwarf/dwarfConstants.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import type { Scope } from '../../dwarf/scope.js';
import { strip, type Type } from '../../dwarf/types.js';
import type { Unit } from '../../dwarf/unit.js';
import type { Variable } from '../../dwarf/variable.js';
import { type Form, formOf } from './form.js';

/** A place in a frame. Variables that are not there at the same time may share it. */
export interface FrameSlot {
  readonly function: string;
  /** Names of its variables. */
  readonly name: string;
  /** From rbp. */
  readonly offset: number;
  readonly size: number;
  /** Of the first of them. */
  readonly form?: Form;
}

interface FrameFunction {
  readonly name: string;
  /** Without load bias. */
  readonly low: number;
  readonly high: number;
  readonly slots: readonly FrameSlot[];
}

const OP_FBREG = 0x91;
const OP_CALL_FRAME_CFA = 0x9c;
/** rbp and the return address lie between rbp and the canonical frame address. */
const FRAME_BASE = 16;
/** Arrays whose address programs compare with those of stacks. */
const JUMP_BUFFER = '__jmp_buf_tag';

export function* frameFunctions(info: DebugInfo): Generator<FrameFunction> {
  for (const unit of unoptimisedUnits(info)) {
    for (const scope of unlessCorrupt(() => unit.functions.all(), () => [])) {
      const found = unlessCorrupt(() => frameFunction(info, scope), () => undefined);
      if (found !== undefined) yield found;
    }
  }
}

export function* unoptimisedUnits(info: DebugInfo): Generator<Unit> {
  for (const unit of info.fullUnits()) if (isUnoptimised(unit)) yield unit;
}

/** GCC says with which options it was called, unless there were none. */
function isUnoptimised(unit: Unit): boolean {
  const producer = unit.producer ?? '';
  return /^GNU C(\+\+)?\d* /.test(producer) && !/ -O(?!0)| -f(sanitize|split-stack)/.test(producer);
}

function frameFunction(info: DebugInfo, scope: Scope): FrameFunction | undefined {
  const [range, ...others] = scope.ranges;
  const base = scope.function.frameBase;
  if (range === undefined || others.length > 0 || base?.length !== 1 || base[0] !== OP_CALL_FRAME_CFA || hasInnerFunctions(scope)) return undefined;
  const name = scope.function.qualifiedName ?? '??';
  const slots = [...variablesIn(scope)].flatMap((variable) => slotOf(info, variable, range.low, name) ?? []);
  return { name, low: range.low, high: range.high, slots: withoutOverlaps(slots) };
}

/** Functions inside of others, which GNU C has, reach their variables by a pointer to all of them. */
export function hasInnerFunctions({ die }: Scope): boolean {
  return die.unit.isC && die.childrenWithTag(TAG.SUBPROGRAM).length > 0;
}

function* variablesIn(scope: Scope): Generator<Variable> {
  yield* scope.variables;
  for (const child of scope.children) yield* variablesIn(child);
}

function slotOf(info: DebugInfo, variable: Variable, pc: number, functionName: string): FrameSlot | undefined {
  const where = variable.whereabouts(pc);
  const offset = where.kind === 'expression' && where.expression[0] === OP_FBREG ? signedLeb(where.expression) : undefined;
  const type = strip(info.types.of(variable.type));
  if (offset === undefined || type.size <= 0 || isJumpBuffer(type) || (type.kind === 'array' && type.count === undefined)) return undefined;
  return { function: functionName, name: variable.name ?? '??', offset: offset + FRAME_BASE, size: type.size, form: formOf(type) };
}

export function isJumpBuffer(type: Type): boolean {
  return (type.kind === 'array' ? strip(type.element) : type).name === JUMP_BUFFER;
}

/** The operand, if there is nothing after it. */
function signedLeb(expression: Uint8Array): number | undefined {
  let [value, shift] = [0, 0];
  for (let i = 1; i < expression.length; i++) {
    const byte = expression[i] as number;
    value += (byte & 0x7f) * 2 ** shift;
    shift += 7;
    if ((byte & 0x80) !== 0) continue;
    return i + 1 < expression.length ? undefined : (byte & 0x40) !== 0 ? value - 2 ** shift : value;
  }
  return undefined;
}

/** Variables at the same place are one slot; of those that lie across each other nothing is certain. */
function withoutOverlaps(slots: readonly FrameSlot[]): FrameSlot[] {
  const merged = new Map<string, FrameSlot>();
  for (const slot of slots) {
    const key = `${slot.offset} ${slot.size}`;
    const known = merged.get(key);
    merged.set(key, known === undefined || known.name === slot.name ? slot : { ...slot, name: `${known.name}, ${slot.name}` });
  }
  const all = [...merged.values()];
  return all.filter((slot) => !all.some((other) => other !== slot && other.offset < slot.offset + slot.size && slot.offset < other.offset + other.size));
}
