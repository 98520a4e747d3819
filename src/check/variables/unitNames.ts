/**
 * Names that debug information of a unit knows: what is none of them, and none of C's, may be a macro, and stand for
 * anything. So may constants that hold addresses, since GCC replaces them by what they are initialised with, even
 * without optimisation.
 */
import { AT, TAG } from '../../dwarf/dwarfConstants.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import { EntryCursor } from '../../dwarf/entryCursor.js';
import { POINTER_SIZE, strip, type Type } from '../../dwarf/types.js';
import type { Unit } from '../../dwarf/unit.js';
import { Variable } from '../../dwarf/variable.js';

/** Types in types that are deeper are a circle, or nothing that we have to know. */
const DEEPEST = 8;

/** `constant`: it lies in memory, and may hold addresses that stand for it. */
type KindOfName = 'plain' | 'constant';

export class UnitNames {
  private readonly ofUnits = new Map<Unit, ReadonlyMap<string, KindOfName>>();

  /** Undefined if it is not known, or may stand for what cannot be looked up. */
  kindOf(unit: Unit, name: string): KindOfName | undefined {
    let names = this.ofUnits.get(unit);
    if (names === undefined) this.ofUnits.set(unit, (names = unlessCorrupt(() => namesIn(unit.full), () => new Map<string, KindOfName>())));
    return names.get(name);
  }
}

function namesIn(unit: Unit): Map<string, KindOfName> {
  const names = new Map<string, KindOfName>();
  const hidden = new Set<string>();
  const cursor = EntryCursor.childrenOf(unit.root);
  while (cursor.next()) {
    if (cursor.seek(AT.NAME) === undefined) continue;
    const die = unit.dieAt(cursor.offset);
    const name = die.string(AT.NAME) ?? '';
    if (die.tag !== TAG.VARIABLE || !isConstantAddress(unit.info.types.of(die.reference(AT.TYPE)))) names.set(name, names.get(name) ?? 'plain');
    else if (new Variable(die).isStatic) names.set(name, 'constant');
    else hidden.add(name);
  }
  for (const name of hidden) names.delete(name);
  return names;
}

function isConstantAddress(type: Type): boolean {
  return isConstant(type) && mayHoldAddress(type, 0);
}

function isConstant(type: Type): boolean {
  if (type.kind === 'typedef') return isConstant(type.of);
  if (type.kind === 'qualified') return type.qualifier === 'const' || isConstant(type.of);
  return type.kind === 'array' && isConstant(type.element);
}

function mayHoldAddress(type: Type, depth: number): boolean {
  const own = strip(type);
  if (depth > DEEPEST) return true;
  if (own.kind === 'array') return mayHoldAddress(own.element, depth + 1);
  if (own.kind === 'struct') return own.members.some((member) => mayHoldAddress(member.type, depth + 1));
  // A number that is large enough, too.
  return own.kind !== 'enum' && (own.kind !== 'base' || own.size >= POINTER_SIZE);
}
