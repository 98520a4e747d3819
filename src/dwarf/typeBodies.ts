/**
 * Types written out, as GDB's `ptype/r` does it: structures with their members, classes with access labels and methods,
 * enumerations with their values. Structures inside are written out if they have no name, one level deep.
 */
import type { Die } from './die.js';
import { AT, TAG } from './dwarfConstants.js';
import { declaration, styleOf, typeName, type NameStyle } from './typeNames.js';
import type { Accessibility, Member, Method } from './typeParts.js';
import type { EnumType, FunctionType, StructType, Type, TypeOf } from './types.js';

const INDENT = 4;
/** More typedefs on top of each other are a circle. */
const LONGEST_CHAIN = 64;

/** `type`, written out. `typeOf` is that of the type table. */
export function typeBody(type: Type, typeOf: TypeOf): string {
  return new BodyWriter(styleOf(type), typeOf).write(withoutTypedef(type), '', 1, 0);
}

/** Typedefs at the top are seen through; those inside keep their names. */
function withoutTypedef(type: Type): Type {
  let inner = type;
  for (let i = 0; i < LONGEST_CHAIN && inner.kind === 'typedef'; i++) inner = inner.of;
  return inner;
}

class BodyWriter {
  constructor(
    private readonly style: NameStyle,
    private readonly typeOf: TypeOf,
  ) {}

  /** A declaration, with bodies of structures down to `show` levels, from column `column` on. */
  write(type: Type, variable: string, show: number, column: number): string {
    const base = (inner: Type): string | undefined => this.base(show > 0 ? withoutTypedef(inner) : inner, show, column);
    return declaration(type, variable, base, this.style);
  }

  private base(type: Type, show: number, column: number): string | undefined {
    if (type.kind === 'struct' && (show > 0 || (type.name === undefined && show === 0))) return this.struct(type, show, column);
    if (type.kind === 'enum' && (show > 0 || (type.name === undefined && show === 0))) return this.enum(type);
    return show > 0 ? typeName(type, '', this.style) : undefined;
  }

  private enum(type: EnumType): string {
    const name = type.qualifiedName;
    const underlying = this.style.isC || type.underlying === undefined ? '' : `: ${typeName(type.underlying, '', this.style)} `;
    const scope = name === undefined ? '' : type.isClass ? `${name}::` : name.slice(0, name.lastIndexOf('::') + (name.includes('::') ? 2 : 0));
    let next = 0n;
    const values = type.enumerators.map((enumerator) => {
      const text = `${this.style.isC ? '' : scope}${enumerator.name}${enumerator.value === next ? '' : ` = ${enumerator.value}`}`;
      next = enumerator.value + 1n;
      return text;
    });
    return `enum ${type.isClass ? 'class ' : ''}${name === undefined ? '' : `${name} `}${underlying}{${values.join(', ')}}`;
  }

  private struct(type: StructType, show: number, column: number): string {
    const name = type.qualifiedName;
    const head = `${type.keyword} ${name === undefined ? '' : `${name} `}${this.bases(type)}{\n`;
    const body = type.isIncomplete ? `${indent(column + INDENT)}<incomplete type>\n` : this.contents(type, show, column);
    return `${head}${body}${indent(column)}}`;
  }

  private bases(type: StructType): string {
    const list = type.bases.map((base) => `${base.accessibility}${base.isVirtual ? ' virtual' : ''} ${typeName(base.type, '', this.style)}`);
    return list.length === 0 ? '' : `: ${list.join(', ')} `;
  }

  private contents(type: StructType, show: number, column: number): string {
    const members = type.members.filter((member) => !isVirtualTable(member));
    const methods = grouped(type.methods.filter((method) => !method.isArtificial));
    const typedefs = type.definition.die?.childrenWithTag(TAG.TYPEDEF) ?? [];
    if (members.length + methods.length + typedefs.length === 0) return `${indent(column + INDENT)}<no data fields>\n`;
    const labels = new AccessLabels(column);
    const labelled = needsLabels(type, typedefs);
    let text = '';
    for (const member of members) text += `${labelled ? labels.for(memberAccess(member)) : ''}${this.member(member, show, column + INDENT)}`;
    if (methods.length > 0 && labels.isUsed) text += '\n';
    for (const method of methods) text += `${labels.for(method.accessibility)}${this.method(type, method, column + INDENT)}`;
    if (typedefs.length > 0 && text !== '') text += '\n';
    for (const die of typedefs) text += `${labelled ? labels.for(accessOf(die, type)) : ''}${this.typedef(die, show, column + INDENT)}`;
    return text;
  }

  private member(member: Member, show: number, column: number): string {
    const nested = member.name === undefined ? show : show - 1;
    const bits = member.bits === undefined ? '' : ` : ${member.bits.size}`;
    // An unnamed member is seen through; its own type has no name either.
    const level = member.name === undefined && nested > 0 ? 0 : nested;
    return `${indent(column)}${member.isStatic ? 'static ' : ''}${this.write(member.type, member.name ?? '', level, column)}${bits};\n`;
  }

  private method(owner: StructType, method: Method, column: number): string {
    const type = this.typeOf(method.die) as FunctionType;
    const plainOwner = (owner.name ?? '').replace(/<.*/, '');
    const isStructor = method.name === plainOwner || method.name === owner.name || method.name.startsWith('~');
    const isConversion = /^operator [\w(]/.test(method.name) && !/^operator (new|delete)\b/.test(method.name);
    const result = isStructor || isConversion ? '' : `${typeName(type.result, '', this.style)} `;
    const parameters = type.parameters.slice(method.isStatic ? 0 : 1).filter((p) => !p.isArtificial).map((p) => typeName(p.type, '', this.style));
    if (type.isVariadic) parameters.push('...');
    const prefix = method.isVirtual ? 'virtual ' : method.isStatic ? 'static ' : '';
    return `${indent(column)}${prefix}${result}${method.name}(${parameters.length === 0 ? 'void' : parameters.join(', ')})${this.qualifiers(type, method)};\n`;
  }

  /** `const` after a method is a property of what `this` points to. */
  private qualifiers(type: FunctionType, method: Method): string {
    const self = method.isStatic ? undefined : type.parameters[0]?.type;
    const pointer = self?.kind === 'qualified' ? self.of : self;
    let target = pointer?.kind === 'pointer' ? pointer.to : undefined;
    let text = '';
    for (let i = 0; i < 4 && target?.kind === 'qualified'; i++) {
      text += ` ${target.qualifier}`;
      target = target.of;
    }
    return text;
  }

  private typedef(die: Die, show: number, column: number): string {
    return `${indent(column)}typedef ${this.write(this.typeOf(die.reference(AT.TYPE)), die.string(AT.NAME) ?? '', show - 1, column)};\n`;
  }
}

/** Labels before the first member with another access than the one before. */
class AccessLabels {
  private current: Accessibility | undefined;

  constructor(private readonly column: number) {}

  get isUsed(): boolean {
    return this.current !== undefined;
  }

  for(access: Accessibility): string {
    if (access === this.current) return '';
    this.current = access;
    return `${indent(this.column + 2)}${access}:\n`;
  }
}

/** A class whose members all have the access that is usual for it needs none. */
function needsLabels(type: StructType, typedefs: readonly Die[]): boolean {
  const all = [...type.members.map(memberAccess), ...type.methods.map((m) => m.accessibility), ...typedefs.map((die) => accessOf(die, type))];
  return type.keyword === 'class' ? all.some((access) => access !== 'private') : all.some((access) => access !== 'public');
}

/** What the compiler adds is nobody's business. */
function memberAccess(member: Member): Accessibility {
  return member.isArtificial ? 'private' : member.accessibility;
}

function accessOf(die: Die, owner: StructType): Accessibility {
  const written = die.number(AT.ACCESSIBILITY);
  if (written === undefined) return owner.keyword === 'class' ? 'private' : 'public';
  return written === 1 ? 'public' : written === 2 ? 'protected' : 'private';
}

function isVirtualTable(member: Member): boolean {
  return /^_vptr[.$]/.test(member.name ?? '');
}

/** Overloaded methods stand together, where the first of them is. */
function grouped(methods: readonly Method[]): Method[] {
  const names = [...new Set(methods.map((method) => method.name))];
  return names.flatMap((name) => methods.filter((method) => method.name === name));
}

function indent(column: number): string {
  return ' '.repeat(column);
}
