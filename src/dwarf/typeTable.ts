/** One object per type's entry, and the search for definitions of types that are only declared in a unit. */
import type { DebugInfo } from './debugInfo.js';
import type { Die } from './die.js';
import { AT, TAG } from './dwarfConstants.js';
import { unlessCorrupt } from './dwarfError.js';
import { scopeName, scopesAround } from './qualifiedName.js';
import {
  ArrayEntry, BaseEntry, EnumEntry, FunctionEntry, MemberPointerEntry, PointerEntry, QualifiedEntry, ReferenceEntry, StructEntry, TypedefEntry, UnspecifiedEntry,
} from './typeEntries.js';
import { VoidType, type Type } from './types.js';
import type { Unit } from './unit.js';

export class TypeTable {
  private readonly types = new Map<Unit, Map<number, Type>>();
  private readonly void = new VoidType();

  constructor(private readonly info: DebugInfo) {}

  /** The type that an entry describes; void for none. Functions have a type, too. */
  readonly of = (die: Die | undefined): Type => {
    if (die === undefined) return this.void;
    const known = this.types.get(die.unit) ?? new Map<number, Type>();
    this.types.set(die.unit, known);
    const type = known.get(die.offset) ?? this.make(die);
    known.set(die.offset, type);
    return type;
  };

  /** Types of that name: `struct s` is found as `s`. Definitions first. */
  find(name: string): Type[] {
    const found = this.info.byName.find(name, 'type');
    const [declared, defined] = [found.filter((die) => die.flag(AT.DECLARATION)), found.filter((die) => !die.flag(AT.DECLARATION))];
    return [...defined, ...declared].map(this.of);
  }

  private make(die: Die): Type {
    switch (die.tag) {
      case TAG.BASE_TYPE: return new BaseEntry(die, this.of);
      case TAG.POINTER_TYPE: return new PointerEntry(die, this.of);
      case TAG.REFERENCE_TYPE: case TAG.RVALUE_REFERENCE_TYPE: return new ReferenceEntry(die, this.of);
      case TAG.CONST_TYPE: case TAG.VOLATILE_TYPE: case TAG.RESTRICT_TYPE: case TAG.ATOMIC_TYPE: return new QualifiedEntry(die, this.of);
      case TAG.TYPEDEF: case TAG.TEMPLATE_ALIAS: return new TypedefEntry(die, this.of);
      case TAG.ARRAY_TYPE: return new ArrayEntry(die, this.of);
      case TAG.STRUCTURE_TYPE: case TAG.CLASS_TYPE: case TAG.UNION_TYPE: return new StructEntry(die, this.of, (d) => this.definitionOf(d));
      case TAG.ENUMERATION_TYPE: return new EnumEntry(die, this.of, (d) => this.definitionOf(d));
      case TAG.SUBROUTINE_TYPE: case TAG.SUBPROGRAM: return new FunctionEntry(die, this.of);
      case TAG.PTR_TO_MEMBER_TYPE: return new MemberPointerEntry(die, this.of);
      default: return new UnspecifiedEntry(die, this.of);
    }
  }

  /** The definition of a declared type: in its type unit, or of the same name in any unit. */
  private definitionOf(die: Die): Die | undefined {
    if (die.has(AT.SIGNATURE)) return unlessCorrupt(() => die.reference(AT.SIGNATURE), () => undefined);
    const name = die.string(AT.NAME);
    if (name === undefined) return undefined;
    const scopes = scopesAround(die).map(scopeName).join('::');
    return this.info.byName.find(name, 'type').find((found) => {
      return sameKind(found.tag, die.tag) && !found.flag(AT.DECLARATION) && scopesAround(found).map(scopeName).join('::') === scopes;
    });
  }
}

/** `class` and `struct` may be declared as each other. */
function sameKind(a: number, b: number): boolean {
  const plain = (tag: number): number => (tag === TAG.CLASS_TYPE ? TAG.STRUCTURE_TYPE : tag);
  return plain(a) === plain(b);
}
