/**
 * Types written out, as GDB's `ptype` does it: structures with their members, classes with access labels and methods,
 * enumerations with their values. Structures inside are written out if they have no name, one level deep. Unless `raw`,
 * what templates' parameters and typedefs of the class stand for is called by those.
 */
import type { Die } from './die.js';
import { AT, TAG } from './dwarfConstants.js';
import { LAYOUT_WIDTH, LayoutColumn } from './typeLayout.js';
import { declaration, styleOf, typeName, type NameStyle } from './typeNames.js';
import type { Accessibility, Member, Method, TemplateArgument } from './typeParts.js';
import { strip, type EnumType, type FunctionType, type StructType, type Type, type TypeOf } from './types.js';

const INDENT = 4;
/** More typedefs on top of each other are a circle. */
const LONGEST_CHAIN = 64;

export interface BodyOptions {
  readonly isRaw?: boolean;
  readonly withoutMethods?: boolean;
  readonly withoutTypedefs?: boolean;
  /** With offsets and sizes, decimal or hexadecimal. */
  readonly layout?: 'decimal' | 'hexadecimal' | undefined;
}

/** `type`, written out. `typeOf` is that of the type table. */
export function typeBody(type: Type, typeOf: TypeOf, options: BodyOptions = { isRaw: true }): string {
  const top = withoutTypedef(type);
  const layout = options.layout === undefined ? undefined : new LayoutColumn(options.layout === 'hexadecimal');
  return new BodyWriter(styleOf(type), typeOf, options, new Map()).write(top, '', 1, 0, layout);
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
    private readonly options: BodyOptions,
    /** What types are called inside the class that is written: by their names outside. */
    private readonly localNames: ReadonlyMap<string, string>,
  ) {}

  /** A declaration, with bodies of structures down to `show` levels, from column `column` on. */
  write(type: Type, variable: string, show: number, column: number, layout?: LayoutColumn): string {
    const local = this.localNames.size === 0 ? undefined : this.localNames.get(typeName(type, '', this.style));
    if (local !== undefined) return variable === '' ? local : `${local} ${variable}`;
    const base = (inner: Type): string | undefined => this.base(show > 0 ? withoutTypedef(inner) : inner, show, column, layout);
    return declaration(type, variable, base, this.style);
  }

  /** Without bodies. */
  private named(type: Type): string {
    return this.localNames.size === 0 ? typeName(type, '', this.style) : this.write(type, '', -1, 0);
  }

  private base(type: Type, show: number, column: number, layout: LayoutColumn | undefined): string | undefined {
    if (this.localNames.size > 0) {
      const local = this.localNames.get(typeName(type, '', this.style));
      if (local !== undefined) return local;
    }
    if (type.kind === 'struct' && (show > 0 || (type.name === undefined && show === 0))) return this.struct(type, show, column, layout);
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

  private struct(type: StructType, show: number, column: number, layout: LayoutColumn | undefined): string {
    const name = type.qualifiedName;
    const templates = this.options.isRaw === true ? [] : type.templateArguments.filter((argument) => argument.value === undefined && argument.name !== undefined && argument.die.tag === TAG.TEMPLATE_TYPE_PARAMETER);
    const inside = templates.map((argument) => `${argument.name ?? ''} = ${typeName(argument.type, '', this.style)}`);
    const head = `${type.keyword} ${name === undefined ? '' : `${name} `}${inside.length === 0 ? '' : `[with ${inside.join(', ')}] `}${this.bases(type)}{\n`;
    const body = type.isIncomplete ? `${this.space(column + INDENT)}<incomplete type>\n` : this.within(type, templates).contents(type, show, column, layout);
    const end = layout === undefined ? '' : `${layout.total(type, column)}${indent(LAYOUT_WIDTH + (column === 0 ? 2 : 0))}`;
    return `${head}${body}${end}${indent(column)}}`;
  }

  /** The writer for what is in a class, where its own names count. */
  private within(type: StructType, templates: readonly TemplateArgument[]): BodyWriter {
    if (this.options.isRaw === true || this.style.isC) return this;
    const names = new Map(this.localNames);
    for (const die of type.definition.die?.childrenWithTag(TAG.TYPEDEF) ?? []) names.set(typeName(this.typeOf(die.reference(AT.TYPE)), '', this.style), die.string(AT.NAME) ?? '');
    for (const { name, type: own } of templates) names.set(typeName(own, '', this.style), name ?? '');
    return names.size === 0 ? this : new BodyWriter(this.style, this.typeOf, this.options, names);
  }

  /** The beginning of a line that is no member's. */
  private space(column: number): string {
    return indent(column + (this.options.layout === undefined ? 0 : LAYOUT_WIDTH));
  }

  private bases(type: StructType): string {
    const list = type.bases.map((base) => `${base.accessibility}${base.isVirtual ? ' virtual' : ''} ${typeName(base.type, '', this.style)}`);
    return list.length === 0 ? '' : `: ${list.join(', ')} `;
  }

  private contents(type: StructType, show: number, column: number, layout: LayoutColumn | undefined): string {
    const { withoutMethods = layout !== undefined, withoutTypedefs = layout !== undefined } = this.options;
    const members = type.members.filter((member) => !isVirtualTable(member));
    const methods = withoutMethods ? [] : grouped(type.methods.filter((method) => !method.isArtificial));
    const typedefs = withoutTypedefs ? [] : (type.definition.die?.childrenWithTag(TAG.TYPEDEF) ?? []);
    if (members.length + methods.length + typedefs.length === 0) return `${this.space(column + INDENT)}<no data fields>\n`;
    const labels = new AccessLabels(layout === undefined ? column : column + LAYOUT_WIDTH);
    const labelled = needsLabels(type, typedefs);
    let text = '';
    for (const member of members) text += `${labelled ? labels.for(memberAccess(member)) : ''}${this.member(type, member, show, column + INDENT, layout)}`;
    if (methods.length > 0 && labels.isUsed) text += '\n';
    for (const method of methods) text += `${labels.for(method.accessibility)}${this.method(type, method, column + INDENT)}`;
    if (typedefs.length > 0 && text !== '') text += '\n';
    for (const die of typedefs) text += `${labelled ? labels.for(accessOf(die, type)) : ''}${this.typedef(die, show, column + INDENT)}`;
    return text;
  }

  private member(owner: StructType, member: Member, show: number, column: number, layout: LayoutColumn | undefined): string {
    const bits = member.bits === undefined ? '' : ` : ${member.bits.size}`;
    const before = layout?.before(owner, member) ?? '';
    // With offsets, structures inside are written out however deep.
    const isOpened = layout !== undefined && !member.isStatic && strip(member.type).kind === 'struct';
    const inner = isOpened ? layout.inside(member) : undefined;
    const text = this.write(member.type, member.name ?? '', isOpened ? show : show - 1, column, inner);
    if (inner !== undefined) layout?.afterInside(owner, inner);
    return `${before}${indent(column)}${member.isStatic ? 'static ' : ''}${text}${bits};\n`;
  }

  private method(owner: StructType, method: Method, column: number): string {
    const type = this.typeOf(method.die) as FunctionType;
    const plainOwner = (owner.name ?? '').replace(/<.*/, '');
    const isStructor = method.name === plainOwner || method.name === owner.name || method.name.startsWith('~');
    const isConversion = /^operator [\w(]/.test(method.name) && !/^operator (new|delete)\b/.test(method.name);
    const result = isStructor || isConversion ? '' : `${this.named(type.result)} `;
    const parameters = type.parameters.slice(method.isStatic ? 0 : 1).filter((p) => !p.isArtificial).map((p) => this.named(p.type));
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

/** What the compiler adds is not shown. */
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
