/** The class that an object really is, by the virtual table that it points to (`set print object on`). */
import { strip, type StructType } from '../../../dwarf/types.js';
import { LONG, pointerTo, referenceTo } from '../madeTypes.js';
import type { NameLookup } from '../nameLookup.js';
import { contentsOf, referred } from '../references.js';
import { integerValue, toInteger } from '../scalars.js';
import { Value } from '../value.js';

/** An object, or a pointer to one, as what it is. Undefined if that cannot be told. */
export function dynamicType(names: NameLookup, value: Value): Value | undefined {
  const { plain } = value;
  if (plain.kind === 'pointer') {
    if (strip(plain.to).kind !== 'struct' || toInteger(value) === 0n) return undefined;
    const object = dynamicType(names, contentsOf(value));
    return object?.address === undefined ? undefined : integerValue(value.around, pointerTo(object.type), object.address);
  }
  if (plain.kind === 'reference') {
    const object = dynamicType(names, referred(value));
    return object?.address === undefined ? undefined : integerValue(value.around, referenceTo(object.type), object.address);
  }
  if (plain.kind !== 'struct' || value.address === undefined || !isPolymorphic(plain, 0)) return undefined;
  const table = toInteger(new Value(value.around, LONG, { kind: 'memory', address: value.address }));
  const symbol = value.around.symbolAt(BigInt.asUintN(64, table));
  const name = /^vtable for (.*)$/.exec(symbol?.symbol.name ?? '')?.[1];
  const type = name === undefined ? undefined : names.typeNamed(name);
  if (type === undefined) return undefined;
  // Two words before its first function the table says where the whole object begins.
  const toTop = toInteger(new Value(value.around, LONG, { kind: 'memory', address: BigInt.asUintN(64, table) - 16n }));
  return new Value(value.around, type, { kind: 'memory', address: value.address + toTop });
}

function isPolymorphic(type: StructType, depth: number): boolean {
  if (depth > 16) return false;
  if (type.members.some((member) => /^_vptr[.$]/.test(member.name ?? ''))) return true;
  return type.bases.some((base) => {
    const inner = strip(base.type);
    return inner.kind === 'struct' && isPolymorphic(inner, depth + 1);
  });
}
