/**
 * Names of types as GDB prints them: `char *`, `int (*)(int)`, `struct point`, `const int [3]`. A declaration in C is a
 * base, then what stands before and after the name: pointers before, dimensions and parameters after.
 */
import type { ArrayType, FunctionType, Qualifier, StructType, EnumType, Type } from './types.js';

/** Deeper types are circles. */
const DEEPEST = 64;
const WORDS: Readonly<Record<Qualifier, string>> = { const: 'const', volatile: 'volatile', restrict: 'restrict', atomic: '_Atomic' };

/** Where the name goes, and whether scopes and keywords are as in C or as in C++. */
export interface NameStyle {
  readonly isC: boolean;
}

/** The type's name, or a declaration of `variable` with that type. */
export function typeName(type: Type, variable = '', style: NameStyle = styleOf(type)): string {
  return new Declarator(style).declare(type, variable);
}

/** The declaration of a member or variable, its base written out by the caller: `struct {...}` with its body. */
export function declaration(type: Type, variable: string, base: (type: Type) => string | undefined, style: NameStyle): string {
  return new Declarator(style, base).declare(type, variable);
}

/** The style of the language that a type is from. */
export function styleOf(type: Type): NameStyle {
  return { isC: type.die?.unit.isC ?? true };
}

class Declarator {
  constructor(
    private readonly style: NameStyle,
    private readonly writeBase: (type: Type) => string | undefined = () => undefined,
  ) {}

  declare(type: Type, variable: string): string {
    const { base, needsSpace } = this.base(type);
    const [before, after] = this.around(type, false, 0);
    const gap = variable !== '' || (needsSpace && !isVector(type)) ? ' ' : '';
    const wordBefore = variable !== '' && /\w$/.test(before) ? ' ' : '';
    return `${base}${gap}${before}${wordBefore}${variable}${after}`;
  }

  /** The innermost type's name with its qualifiers, and whether something comes around it. */
  private base(type: Type): { base: string; needsSpace: boolean } {
    let inner = type;
    let needsSpace = false;
    let qualifiers: Qualifier[] = [];
    for (let i = 0; i < DEEPEST; i++) {
      if (inner.kind === 'qualified') qualifiers.push(inner.qualifier);
      const next = innerOf(inner);
      if (next === undefined) break;
      if (inner.kind !== 'qualified') {
        qualifiers = [];
        needsSpace = true;
      }
      inner = next;
    }
    return { base: `${qualifierWords(qualifiers, this.style).map((w) => `${w} `).join('')}${this.writeBase(inner) ?? this.plainName(inner)}`, needsSpace };
  }

  private plainName(type: Type): string {
    switch (type.kind) {
      case 'struct': return this.tagged(type, type.keyword);
      case 'enum': return this.tagged(type, type.isClass ? 'enum class' : 'enum');
      case 'typedef': case 'base': case 'unspecified': return type.qualifiedName ?? (type.kind === 'base' ? '<unnamed type>' : 'void');
      default: return 'void';
    }
  }

  private tagged(type: StructType | EnumType, keyword: string): string {
    const name = type.qualifiedName;
    if (name === undefined) return `${keyword} {...}`;
    return this.style.isC ? `${keyword} ${name}` : name;
  }

  /** What stands before and after the name. */
  private around(type: Type, behindPointer: boolean, depth: number): [string, string] {
    if (depth > DEEPEST) return ['', ''];
    switch (type.kind) {
      case 'pointer': return this.pointer('*', type.to, [], depth);
      case 'reference': return this.pointer(type.isRvalue ? '&&' : '&', type.to, [], depth);
      case 'memberPointer': return this.pointer(`${new Declarator(this.style).declare(type.container, '')}::*`, type.to, [], depth, type.to.kind === 'function');
      case 'qualified': return this.qualified(type, behindPointer, depth);
      case 'array': return this.array(type, behindPointer, depth);
      case 'function': return this.function(type, behindPointer, depth);
      default: return ['', ''];
    }
  }

  private pointer(sign: string, target: Type, qualifiers: readonly Qualifier[], depth: number, bracket = true): [string, string] {
    const [before, after] = this.around(target, bracket, depth + 1);
    const words = qualifierWords(qualifiers, this.style).map((word) => ` ${word}`).join('');
    return [`${before}${sign}${words}`, after];
  }

  /** Qualifiers of a pointer follow its sign; others belong to the base. */
  private qualified(type: Extract<Type, { kind: 'qualified' }>, behindPointer: boolean, depth: number): [string, string] {
    const qualifiers: Qualifier[] = [];
    let inner: Type = type;
    for (let i = 0; i < DEEPEST && inner.kind === 'qualified'; i++) {
      qualifiers.push(inner.qualifier);
      inner = inner.of;
    }
    if (inner.kind === 'pointer') return this.pointer('*', inner.to, qualifiers, depth);
    if (inner.kind === 'reference') return this.pointer(inner.isRvalue ? '&&' : '&', inner.to, qualifiers, depth);
    return this.around(inner, behindPointer, depth + 1);
  }

  private array(type: ArrayType, behindPointer: boolean, depth: number): [string, string] {
    const [before, after] = this.around(type.element, false, depth + 1);
    const length = type.dimension.dynamic === undefined ? `${type.count ?? ''}` : 'variable length';
    const dimension = type.isVector ? ` __attribute__ ((vector_size(${length})))` : `[${length}]`;
    return behindPointer ? [`${before}(`, `)${dimension}${after}`] : [before, `${dimension}${after}`];
  }

  private function(type: FunctionType, behindPointer: boolean, depth: number): [string, string] {
    const [before, after] = this.around(type.result, false, depth + 1);
    const list = this.parameters(type, depth);
    return behindPointer ? [`${before}(`, `)${list}${after}`] : [before, `${list}${after}`];
  }

  private parameters(type: FunctionType, depth: number): string {
    const names = depth > 8 ? ['...'] : type.parameters.map((parameter) => this.parameter(parameter));
    if (type.isVariadic) names.push('...');
    if (names.length === 0 && (type.isPrototyped || !this.style.isC)) return '(void)';
    return `(${names.join(', ')})`;
  }

  /** `this` is constant, though GCC says so only where a method is defined. */
  private parameter({ type, isArtificial }: FunctionType['parameters'][number]): string {
    return `${new Declarator(this.style).declare(type, '')}${isArtificial && type.kind === 'pointer' ? ' const' : ''}`;
  }
}

/** What a type is made of, up to one that has a name of its own. */
function innerOf(type: Type): Type | undefined {
  switch (type.kind) {
    case 'pointer': case 'reference': case 'memberPointer': return type.to;
    case 'qualified': return type.of;
    case 'array': return type.element;
    case 'function': return type.result;
    default: return undefined;
  }
}

function isVector(type: Type): boolean {
  return type.kind === 'array' && type.isVector;
}

/** In GDB's order, each once. */
function qualifierWords(qualifiers: readonly Qualifier[], style: NameStyle): string[] {
  const order: readonly Qualifier[] = ['const', 'volatile', 'restrict', 'atomic'];
  return order.filter((q) => qualifiers.includes(q)).map((q) => (q === 'restrict' && !style.isC ? '__restrict__' : WORDS[q]));
}
