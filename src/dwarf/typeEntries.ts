/**
 * Types as entries of the debug information. An object knows its entry and reads the rest when asked, so types may
 * refer to each other in circles.
 */
import type { Die } from './die.js';
import { ATE, AT, TAG } from './dwarfConstants.js';
import { readBases, readEnumerators, readMembers, readMethods, readTemplateArguments } from './typeParts.js';
import type { BaseClass, Enumerator, Member, Method, TemplateArgument } from './typeParts.js';
import { canonicalName, qualifiedName } from './qualifiedName.js';
import { readDimensions, type Dimension } from './arrayBounds.js';
import {
  POINTER_SIZE, sizeAfter, strip, type ArrayType, type BaseType, type EnumType, type FunctionType, type MemberPointerType, type PointerType, type QualifiedType,
  type Qualifier, type ReferenceType, type StructType, type Type, type TypedefType, type TypeOf, type UnspecifiedType,
} from './types.js';

abstract class EntryType {
  constructor(
    readonly die: Die,
    protected readonly typeOf: TypeOf,
  ) {}

  /** Without scopes; undefined if it has none. */
  get name(): string | undefined {
    return this.die.string(AT.NAME);
  }

  /** With scopes, where the language has them. */
  get qualifiedName(): string | undefined {
    return this.die.unit.isC ? this.name : qualifiedName(this.die);
  }

  protected get target(): Type {
    return this.typeOf(this.die.reference(AT.TYPE));
  }

  protected get byteSize(): number | undefined {
    return this.die.number(AT.BYTE_SIZE);
  }
}

export class BaseEntry extends EntryType implements BaseType {
  readonly kind = 'base';

  override get name(): string | undefined {
    const name = super.name;
    return name === undefined ? undefined : canonicalName(name);
  }

  get size(): number {
    return this.byteSize ?? Math.ceil((this.die.number(AT.BIT_SIZE) ?? 0) / 8);
  }

  /** One of ATE. */
  get encoding(): number {
    return this.die.number(AT.ENCODING) ?? ATE.UNSIGNED;
  }
}

export class UnspecifiedEntry extends EntryType implements UnspecifiedType {
  readonly kind = 'unspecified';
  readonly size = POINTER_SIZE;
}

export class PointerEntry extends EntryType implements PointerType {
  readonly kind = 'pointer';

  get to(): Type {
    return this.target;
  }

  get size(): number {
    return this.byteSize ?? POINTER_SIZE;
  }
}

export class ReferenceEntry extends EntryType implements ReferenceType {
  readonly kind = 'reference';
  readonly size = POINTER_SIZE;

  get to(): Type {
    return this.target;
  }

  get isRvalue(): boolean {
    return this.die.tag === TAG.RVALUE_REFERENCE_TYPE;
  }
}

export class QualifiedEntry extends EntryType implements QualifiedType {
  readonly kind = 'qualified';

  get qualifier(): Qualifier {
    switch (this.die.tag) {
      case TAG.CONST_TYPE: return 'const';
      case TAG.VOLATILE_TYPE: return 'volatile';
      case TAG.RESTRICT_TYPE: return 'restrict';
      default: return 'atomic';
    }
  }

  get of(): Type {
    return this.target;
  }

  get size(): number {
    return sizeAfter(this);
  }
}

export class TypedefEntry extends EntryType implements TypedefType {
  readonly kind = 'typedef';

  get of(): Type {
    return this.target;
  }

  get size(): number {
    return sizeAfter(this);
  }
}

export class ArrayEntry extends EntryType implements ArrayType {
  readonly kind = 'array';

  constructor(
    die: Die,
    typeOf: TypeOf,
    /** Which of the dimensions this is: an array of two is an array of arrays. */
    private readonly level = 0,
    private readonly dimensions: readonly Dimension[] = readDimensions(die),
  ) {
    super(die, typeOf);
  }

  override get name(): string | undefined {
    return this.level === 0 ? super.name : undefined;
  }

  get element(): Type {
    return this.level + 1 < this.dimensions.length ? new ArrayEntry(this.die, this.typeOf, this.level + 1, this.dimensions) : this.target;
  }

  get dimension(): Dimension {
    return this.dimensions[this.level] ?? { lower: 0, count: undefined };
  }

  /** Number of elements; undefined if it is open (`[]`) or known only at run time (see `dimension`). */
  get count(): number | undefined {
    return this.dimension.count;
  }

  get isVector(): boolean {
    return this.die.flag(AT.GNU_VECTOR);
  }

  /** 0 if the number of elements is not known. */
  get size(): number {
    if (this.level === 0 && this.byteSize !== undefined) return this.byteSize;
    return (this.count ?? 0) * strip(this.element).size;
  }
}

export class StructEntry extends EntryType implements StructType {
  readonly kind = 'struct';
  private memberList: readonly Member[] | undefined;
  private full: StructEntry | undefined;

  constructor(
    die: Die,
    typeOf: TypeOf,
    private readonly findDefinition: (die: Die) => Die | undefined,
  ) {
    super(die, typeOf);
  }

  override get name(): string | undefined {
    return super.name ?? (this.definition === this ? undefined : this.definition.name);
  }

  override get qualifiedName(): string | undefined {
    return this.die.has(AT.NAME) || this.definition === this ? super.qualifiedName : this.definition.qualifiedName;
  }

  get keyword(): 'struct' | 'class' | 'union' {
    return this.die.tag === TAG.UNION_TYPE ? 'union' : this.die.tag === TAG.CLASS_TYPE ? 'class' : 'struct';
  }

  /** Only declared, as far as anybody knows. */
  get isIncomplete(): boolean {
    return this.definition.die.flag(AT.DECLARATION);
  }

  /** Itself, or where it is defined if this is only a declaration. */
  get definition(): StructEntry {
    this.full ??= this.findFull();
    return this.full;
  }

  get size(): number {
    return this.definition.byteSize ?? 0;
  }

  /** Data members, static ones included, in order. */
  get members(): readonly Member[] {
    if (this.definition !== this) return this.definition.members;
    this.memberList ??= readMembers(this.die, this.typeOf);
    return this.memberList;
  }

  get bases(): BaseClass[] {
    return readBases(this.definition.die, this.typeOf);
  }

  get methods(): Method[] {
    return readMethods(this.definition.die);
  }

  get templateArguments(): TemplateArgument[] {
    return readTemplateArguments(this.definition.die, this.typeOf);
  }

  private findFull(): StructEntry {
    if (!this.die.flag(AT.DECLARATION) && !this.die.has(AT.SIGNATURE)) return this;
    const found = this.findDefinition(this.die);
    const type = found === undefined ? undefined : this.typeOf(found);
    return type instanceof StructEntry ? type : this;
  }
}

export class EnumEntry extends EntryType implements EnumType {
  readonly kind = 'enum';
  private list: readonly Enumerator[] | undefined;

  constructor(
    die: Die,
    typeOf: TypeOf,
    private readonly findDefinition: (die: Die) => Die | undefined,
  ) {
    super(die, typeOf);
  }

  override get name(): string | undefined {
    return this.definitionDie.string(AT.NAME);
  }

  override get qualifiedName(): string | undefined {
    return this.die.unit.isC ? this.name : qualifiedName(this.definitionDie);
  }

  get isClass(): boolean {
    return this.definitionDie.flag(AT.ENUM_CLASS);
  }

  get size(): number {
    return this.definitionDie.number(AT.BYTE_SIZE) ?? strip(this.typeOf(this.definitionDie.reference(AT.TYPE))).size;
  }

  /** What it is stored as, where the compiler says so. */
  get underlying(): Type | undefined {
    return this.definitionDie.has(AT.TYPE) ? this.typeOf(this.definitionDie.reference(AT.TYPE)) : undefined;
  }

  /** In their order; values may repeat. */
  get enumerators(): readonly Enumerator[] {
    this.list ??= readEnumerators(this.definitionDie);
    return this.list;
  }

  private get definitionDie(): Die {
    return this.die.flag(AT.DECLARATION) || this.die.has(AT.SIGNATURE) ? (this.findDefinition(this.die) ?? this.die) : this.die;
  }
}

export class FunctionEntry extends EntryType implements FunctionType {
  readonly kind = 'function';
  readonly size = 1;

  get result(): Type {
    return this.typeOf(this.die.inherited((die) => die.reference(AT.TYPE)));
  }

  get parameters(): { readonly type: Type; readonly isArtificial: boolean }[] {
    const owner = [...this.die.origins()].find((die) => die.hasChildren && die.childrenWithTag(TAG.FORMAL_PARAMETER).length > 0) ?? this.die;
    return owner.childrenWithTag(TAG.FORMAL_PARAMETER).map((die) => ({
      type: this.typeOf(die.inherited((d) => d.reference(AT.TYPE))),
      isArtificial: die.inherited((d) => (d.flag(AT.ARTIFICIAL) ? true : undefined)) ?? false,
    }));
  }

  get isVariadic(): boolean {
    return [...this.die.origins()].some((die) => die.childrenWithTag(TAG.UNSPECIFIED_PARAMETERS).length > 0);
  }

  get isPrototyped(): boolean {
    return this.die.inherited((die) => (die.flag(AT.PROTOTYPED) ? true : undefined)) ?? false;
  }
}

export class MemberPointerEntry extends EntryType implements MemberPointerType {
  readonly kind = 'memberPointer';

  get to(): Type {
    return this.target;
  }

  get container(): Type {
    return this.typeOf(this.die.reference(AT.CONTAINING_TYPE));
  }

  /** Pointers to functions carry an adjustment of `this`. */
  get size(): number {
    return this.byteSize ?? (strip(this.to).kind === 'function' ? 2 * POINTER_SIZE : POINTER_SIZE);
  }
}
