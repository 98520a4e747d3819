/** Pointers to members: `(int A::*) 0x8`-like offsets by the member's name, and functions by theirs. */
import { strip, type MemberPointerType, type PlainType, type StructType } from '../../../dwarf/types.js';
import type { Die } from '../../../dwarf/die.js';
import { AT, OP } from '../../../dwarf/dwarfConstants.js';
import { demangle } from '../demangle/demangle.js';
import { toInteger } from '../scalars.js';
import { LONG } from '../madeTypes.js';
import type { Value } from '../value.js';
import { hex, symbolText } from './addresses.js';

export function memberPointerText(value: Value, type: MemberPointerType): string {
  const target = strip(type.to);
  if (target.kind === 'function') return functionText(value, strip(type.container));
  const offset = Number(BigInt.asIntN(64, toInteger(value)));
  if (offset === -1) return 'NULL';
  const owner = strip(type.container);
  const member = owner.kind === 'struct' ? memberAt(owner, offset) : undefined;
  return member === undefined ? `${offset}` : `&${owner.qualifiedName ?? ''}::${member}`;
}

function memberAt(owner: StructType, offset: number): string | undefined {
  return owner.members.find((member) => !member.isStatic && member.offset === offset && member.bits === undefined)?.name;
}

/** The low bit says that it is a place in the table of virtual functions. */
function functionText(value: Value, owner: PlainType): string {
  const [pointer, adjustment] = [BigInt.asUintN(64, toInteger(value.component(LONG, 0))), toInteger(value.component(LONG, 8))];
  const suffix = adjustment === 0n ? '' : `, this adjustment ${adjustment}`;
  if (pointer === 0n) return `NULL${suffix}`;
  const virtual = (pointer & 1n) === 1n && owner.kind === 'struct' ? virtualName(owner, Number(pointer - 1n) / 8) : undefined;
  if (virtual !== undefined) return `&virtual ${virtual}${suffix}`;
  if ((pointer & 1n) === 1n) return `&virtual table offset ${pointer - 1n}${suffix}`;
  const symbol = symbolText(value.around, pointer);
  return `${hex(pointer)}${symbol === undefined ? '' : ` ${symbol}`}${suffix}`;
}

/** The function that has a place in the class's table, with its parameters. */
function virtualName(owner: StructType, slot: number): string | undefined {
  const method = owner.methods.find(({ isVirtual, die }) => isVirtual && virtualSlot(die) === slot);
  const linkageName = method?.die.string(AT.LINKAGE_NAME);
  return linkageName === undefined ? undefined : demangle(linkageName, true);
}

/** Which entry of its class's table a function has: an expression that is a constant. */
export function virtualSlot(die: Die): number | undefined {
  const block = die.block(AT.VTABLE_ELEM_LOCATION);
  if (block === undefined) return die.number(AT.VTABLE_ELEM_LOCATION);
  const [operation, ...rest] = block;
  return operation === OP.CONSTU ? rest.reduce((sum, byte, i) => sum + (byte & 0x7f) * 2 ** (7 * i), 0) : undefined;
}
