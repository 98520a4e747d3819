/**
 * Structures of debug information as nodes have them: fields in the order of their addresses, inner structures, bases
 * and arrays flattened, as the paper does it. An array of characters is one field: a text.
 */
import { ATE } from '../../dwarf/dwarfConstants.js';
import type { Member } from '../../dwarf/typeParts.js';
import { strip, type StructType, type Type } from '../../dwarf/types.js';
import type { ShapeField } from '../model.js';

/** A field as it is read from memory. */
export interface MemoryField extends ShapeField {
  /** Of a bit field: its width, and its lowest bit counted from `offset`. */
  readonly bits?: { readonly size: number; readonly shift: number };
}

type Kind = ShapeField['kind'];

/** Larger arrays in structures are not flattened any further: nothing that a specification is about. */
const MOST_FIELDS = 4096;
const DEEPEST = 16;
const CHARACTERS: ReadonlySet<number> = new Set([ATE.SIGNED_CHAR, ATE.UNSIGNED_CHAR, ATE.UTF, ATE.ASCII, ATE.UCS]);

/** `nameOf` says which type of the specification a pointer leads to; `onPointer` is told what each leads to. */
export function flatten(type: Type, nameOf: (type: Type) => string | undefined, onPointer?: (name: string, to: Type) => void): MemoryField[] {
  const fields: Omit<MemoryField, 'index'>[] = [];
  new Flattening(fields, nameOf, onPointer).add(type, '', 0, 0);
  const ordered = fields.map((field, order) => ({ field, order })).sort((a, b) => a.field.offset - b.field.offset || a.order - b.order);
  return ordered.map(({ field }, i) => Object.defineProperties({ index: i + 1 }, Object.getOwnPropertyDescriptors(field)) as MemoryField);
}

class Flattening {
  constructor(
    private readonly fields: Omit<MemoryField, 'index'>[],
    private readonly nameOf: (type: Type) => string | undefined,
    private readonly onPointer: ((name: string, to: Type) => void) | undefined,
  ) {}

  add(type: Type, name: string, offset: number, depth: number): void {
    if (depth > DEEPEST || this.fields.length >= MOST_FIELDS) return;
    const plain = strip(type);
    switch (plain.kind) {
      case 'struct': return this.struct(plain, name, offset, depth);
      case 'array': {
        if (isText(plain.element)) return this.push(name, offset, plain.size, 'text');
        for (let i = 0; i < (plain.count ?? 0); i++) this.add(plain.element, `${name}[${i}]`, offset + i * strip(plain.element).size, depth + 1);
        return;
      }
      case 'pointer': case 'reference': return this.push(name, offset, plain.size, 'pointer', plain.to);
      case 'function': case 'void': case 'unspecified': case 'memberPointer': return;
      default: return this.push(name, offset, plain.size, kindOf(plain));
    }
  }

  private struct(plain: StructType, name: string, offset: number, depth: number): void {
    const { bases, members } = plain.definition;
    for (const base of bases) if (base.offset !== undefined) this.add(base.type, name, offset + base.offset, depth + 1);
    for (const member of members) {
      if (member.isStatic || member.expression !== undefined) continue;
      const inner = member.name === undefined ? name : name === '' ? member.name : `${name}.${member.name}`;
      if (member.bits === undefined) this.add(member.type, inner, offset + member.offset, depth + 1);
      else this.bits(member, inner, offset);
    }
  }

  private bits({ bits, type }: Member, name: string, offset: number): void {
    if (bits === undefined) return;
    const first = Math.floor(bits.offset / 8);
    const shift = bits.offset - first * 8;
    this.fields.push({ name, offset: offset + first, bytes: Math.ceil((shift + bits.size) / 8), kind: kindOf(strip(type)), bits: { size: bits.size, shift } });
  }

  private push(name: string, offset: number, bytes: number, kind: Kind, to?: Type): void {
    const { nameOf } = this;
    const field = { name, offset, bytes, kind };
    if (to !== undefined) this.onPointer?.(name, to);
    // The specification says one after the other which types it has.
    this.fields.push(to === undefined ? field : Object.defineProperty(field, 'pointee', { enumerable: true, get: () => nameOf(to) }));
  }
}

function isText(element: Type): boolean {
  const plain = strip(element);
  return plain.kind === 'base' && plain.size === 1 && CHARACTERS.has(plain.encoding);
}

function kindOf(plain: Type): Kind {
  if (plain.kind === 'enum') return plain.enumerators.some(({ value }) => value < 0n) ? 'signed' : 'unsigned';
  if (plain.kind !== 'base') return 'unsigned';
  switch (plain.encoding) {
    case ATE.BOOLEAN: return 'boolean';
    case ATE.FLOAT: return 'float';
    case ATE.SIGNED: case ATE.SIGNED_CHAR: return 'signed';
    default: return 'unsigned';
  }
}
