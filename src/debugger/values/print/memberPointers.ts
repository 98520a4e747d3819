/** Pointers to members: `(int A::*) 0x8`-like offsets by the member's name, and functions by theirs. */
import { strip, type MemberPointerType, type StructType } from '../../../dwarf/types.js';
import { toInteger } from '../scalars.js';
import { LONG } from '../madeTypes.js';
import type { Value } from '../value.js';
import { hex, symbolText } from './addresses.js';

export function memberPointerText(value: Value, type: MemberPointerType): string {
  const target = strip(type.to);
  if (target.kind === 'function') return functionText(value);
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
function functionText(value: Value): string {
  const [pointer, adjustment] = [BigInt.asUintN(64, toInteger(value.component(LONG, 0))), toInteger(value.component(LONG, 8))];
  const suffix = adjustment === 0n ? '' : `, this adjustment ${adjustment}`;
  if (pointer === 0n) return `NULL${suffix}`;
  if ((pointer & 1n) === 1n) return `&virtual table offset ${pointer - 1n}${suffix}`;
  const symbol = symbolText(value.around, pointer);
  return `${hex(pointer)}${symbol === undefined ? '' : ` ${symbol}`}${suffix}`;
}
