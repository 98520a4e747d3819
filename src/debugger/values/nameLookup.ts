/**
 * What names mean where the program stands: variables of the frame first, then members of `this`, then what the unit
 * and the other units and libraries have. Everything global is found through the indices of names; nothing is walked
 * over.
 */
import type { Die } from '../../dwarf/die.js';
import { AT, TAG } from '../../dwarf/dwarfConstants.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import type { NameKind } from '../../dwarf/nameIndex.js';
import { ancestorsOf, canonicalName, scopeName, scopesAround, splitQualified } from '../../dwarf/qualifiedName.js';
import type { Module, StackFrame } from '../../dwarf/stackFrame.js';
import { strip, type EnumType, type StructType, type Type } from '../../dwarf/types.js';
import { Variable } from '../../dwarf/variable.js';
import { fail } from './expressionError.js';
import { languageType } from './madeTypes.js';
import { functionScope, ScopeLookup, variableOf } from './scopeLookup.js';
import type { ProgramSymbol, Surroundings } from './surroundings.js';
import type { TagKeyword, TypeNames } from './syntax/typeParser.js';

export type FoundName =
  /** With a frame if it belongs to one. */
  | { readonly kind: 'variable'; readonly variable: Variable; readonly module: Module; readonly frame: StackFrame | undefined }
  | { readonly kind: 'function'; readonly die: Die; readonly module: Module }
  | { readonly kind: 'enumerator'; readonly type: EnumType; readonly value: bigint }
  /** `declaration`: what the selected frame's unit says of a variable that is defined where no debug information is. */
  | { readonly kind: 'symbol'; readonly symbol: ProgramSymbol; readonly declaration?: Die | undefined };

/** Frames further out are not looked at for `function::variable`. */
const MOST_FRAMES = 1000;

export class NameLookup implements TypeNames {
  readonly local: ScopeLookup | undefined;
  readonly isCPlusPlus: boolean;

  constructor(readonly around: Surroundings) {
    this.local = around.frame === undefined ? undefined : new ScopeLookup(around.frame);
    this.isCPlusPlus = this.language();
  }

  /**
   * What a name in an expression is; undefined if nothing is called that. Members of `this` are the caller's business.
   */
  find(name: string): FoundName | undefined {
    return this.findLocal(name) ?? this.findGlobal(name) ?? this.findSymbol(name);
  }

  findLocal(name: string): FoundName | undefined {
    const { local } = this;
    const variable = local?.variable(name);
    const module = local?.stack.module;
    return local === undefined || variable === undefined || module === undefined ? undefined : { kind: 'variable', variable, module, frame: local.stack };
  }

  /** A variable, function or enumerator outside of functions. */
  findGlobal(name: string): FoundName | undefined {
    for (const module of this.modules) {
      const die = this.best(this.candidates(module, name, ['variable', 'function', 'enumerator']), name);
      if (die !== undefined) return this.made(die, module);
    }
    return this.imported(name, (full) => this.findGlobal(full));
  }

  /** By declarations and directives that begin with `using`. */
  private imported<T>(name: string, find: (fullName: string) => T | undefined): T | undefined {
    if (!this.isCPlusPlus || name.includes('::')) return undefined;
    for (const full of this.local?.importedNames(name) ?? []) {
      // `using ::free` imports a name that is looked for already.
      const found = full === name ? undefined : find(full);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  findSymbol(name: string): FoundName | undefined {
    const symbol = this.around.symbolNamed(name);
    return symbol === undefined ? undefined : { kind: 'symbol', symbol, declaration: this.declared(name) };
  }

  private declared(name: string): Die | undefined {
    const unit = this.local?.stack.scopes.at(-1)?.die.unit;
    return unlessCorrupt(() => unit?.root.childrenWithTag(TAG.VARIABLE).find((die) => die.flag(AT.DECLARATION) && die.string(AT.NAME) === name), () => undefined);
  }

  /** `function::name` or `file::name`. */
  findIn(scope: string, name: string): FoundName {
    const inFunction = this.functionVariable(scope, name);
    if (inFunction !== undefined) return inFunction;
    for (const module of this.modules) {
      const found = this.candidates(module, name, ['variable', 'function', 'enumerator']).find((die) => isOfFile(die, scope));
      if (found !== undefined) return this.made(found, module);
    }
    return fail(`No symbol "${name}" in specified context.`);
  }

  typeNamed(name: string): Type | undefined {
    if (this.local?.variable(name) !== undefined) return undefined;
    const own = this.local?.type(name);
    const info = this.local?.stack.module?.info;
    if (own !== undefined && info !== undefined && (this.isCPlusPlus || isPlainName(own))) return info.types.of(own);
    for (const module of this.modules) {
      const found = this.candidates(module, name, ['type']).filter((die) => !die.unit.isC || isPlainName(die));
      const die = this.best(found.filter((d) => !d.flag(AT.DECLARATION)), name) ?? this.best(found, name);
      if (die !== undefined && !this.isHidden(module, die, name)) return module.info?.types.of(die);
    }
    const imported = this.imported(name, (full) => this.typeNamed(full));
    if (imported !== undefined) return imported;
    const builtIn = languageType(canonicalName(name));
    return builtIn !== undefined && (this.isCPlusPlus || !['bool', 'wchar_t', 'char16_t', 'char32_t'].includes(name)) ? builtIn : undefined;
  }

  taggedType(keyword: TagKeyword, name: string): Type {
    const fits = (type: Type | undefined): boolean => keyword === 'enum' ? type?.kind === 'enum' : type?.kind === 'struct' && (keyword === 'union') === (type.keyword === 'union');
    const own = this.local?.type(name);
    const ownType = own === undefined ? undefined : this.local?.stack.module?.info?.types.of(own);
    if (ownType !== undefined && fits(ownType)) return ownType;
    for (const module of this.modules) {
      const dies = this.candidates(module, name, ['type']).filter((die) => fits(module.info?.types.of(die)));
      const die = this.best(dies.filter((d) => !d.flag(AT.DECLARATION)), name) ?? this.best(dies, name);
      if (die !== undefined && module.info !== undefined) return module.info.types.of(die);
    }
    return fail(`No ${keyword === 'class' ? 'struct' : keyword} type named ${name}.`);
  }

  checkName(name: string): void {
    if (this.find(name) !== undefined || this.isMemberName(name)) return;
    this.unknown(name);
  }

  /** Says that nothing has that name, and which part of it nothing has. */
  unknown(name: string): never {
    if (this.modules.length === 0) return fail('No symbol table is loaded.  Use the "file" command.');
    const parts = splitQualified(name.replace(/^::/, ''));
    const scope = parts.slice(0, -1).join('::');
    if (scope === '') return fail(`No symbol "${name}" in current context.`);
    if (this.modules.some((module) => this.candidates(module, scope, ['namespace']).length > 0)) return fail(`No symbol "${parts.at(-1) ?? ''}" in namespace "${scope}".`);
    return fail(`No symbol "${parts[0] ?? ''}" in current context.`);
  }

  /** Whether it may be one of `*this`, or of a class. */
  private isMemberName(name: string): boolean {
    if (!this.isCPlusPlus) return false;
    const split = name.lastIndexOf('::');
    return split > 0 ? this.typeNamed(name.slice(0, split)) !== undefined : this.local?.variable('this') !== undefined;
  }

  isBlockName(name: string): boolean {
    if (this.isFunction(name)) return true;
    return /\.\w+$/.test(name) && this.modules.some((module) => module.info !== undefined && unlessCorrupt(() => hasFile(module, name), () => false));
  }

  isTemplate(name: string): boolean {
    return this.modules.some((module) => this.candidates(module, name, ['type', 'function']).some((die) => die.name?.includes('<') === true));
  }

  /** Where a static member is: its definition outside of the class. */
  staticMember(owner: StructType, name: string): FoundName | undefined {
    const scope = owner.qualifiedName;
    for (const module of this.modules) {
      const dies = this.candidates(module, scope === undefined ? name : `${scope}::${name}`, ['variable']);
      const defined = dies.find((die) => die.has(AT.LOCATION)) ?? dies.find((die) => die.has(AT.CONST_VALUE));
      if (defined !== undefined) return this.made(defined, module);
    }
    return undefined;
  }

  /** A function of a class. */
  method(owner: StructType, name: string): FoundName | undefined {
    return this.methods(owner, name)[0];
  }

  /** All of a class with that name. */
  methods(owner: StructType, name: string): FoundName[] {
    return owner.qualifiedName === undefined ? [] : this.functions(`${owner.qualifiedName}::${name}`);
  }

  /** All functions that have code, by a name that may leave out scopes. */
  functions(name: string): FoundName[] {
    return this.modules.flatMap((module) => this.candidates(module, name, ['function']).filter(hasCode).map((die): FoundName => ({ kind: 'function', die, module })));
  }

  /** The module that the frame is in before the others. */
  get modules(): readonly Module[] {
    const own = this.around.frame?.stack.module;
    const all = this.around.modules.filter(({ info }) => info !== undefined);
    return own?.info === undefined ? all : [own, ...all.filter((module) => module !== own)];
  }

  private language(): boolean {
    const unit = this.local?.unit;
    if (unit !== undefined) return unit.isCPlusPlus;
    const first = this.around.modules[0]?.info;
    return first === undefined ? false : unlessCorrupt(() => first.units.some((u) => u.full.isCPlusPlus), () => false);
  }

  private candidates(module: Module, name: string, kinds: readonly NameKind[]): Die[] {
    const { info } = module;
    if (info === undefined) return [];
    return unlessCorrupt(() => kinds.flatMap((kind) => info.byName.find(name, kind)), () => []);
  }

  /**
   * Of the entries of that name the one that is meant: of the nearest scope, of the same unit, then what all can see.
   */
  private best(dies: readonly Die[], name: string): Die | undefined {
    let best: { die: Die; rank: number } | undefined;
    for (const die of dies) {
      const rank = this.rank(die, name);
      if (rank > (best?.rank ?? -1)) best = { die, rank };
    }
    return best?.die;
  }

  /** Higher is better; negative: it is not visible under that name. */
  private rank(die: Die, name: string): number {
    const unit = die.unit === this.local?.unit ? 4 : 0;
    const external = die.inherited((d) => (d.has(AT.EXTERNAL) ? true : undefined)) === true ? 2 : 0;
    // A function that was inlined may have a copy with code, too.
    const useful = hasCode(die) || die.has(AT.LOCATION) || die.has(AT.CONST_VALUE) ? 1 : die.flag(AT.DECLARATION) ? 0 : 0.5;
    if (die.unit.isC) return unit + external + useful;
    const scopes = unlessCorrupt(() => scopesAround(die).filter((scope) => scope.tag !== TAG.ENUMERATION_TYPE || scope.flag(AT.ENUM_CLASS)).map(scopeName), () => []);
    const written = name.replace(/^::/, '').split('::').length - 1;
    const hidden = scopes.slice(0, Math.max(0, scopes.length - written));
    const here = this.local?.around ?? [];
    const isVisible = hidden.every((scope, i) => here[i] === scope || scope.startsWith('(anonymous') || /^__\w+$/.test(scope));
    return isVisible ? unit + external + useful + hidden.length * 8 : written > 0 ? 0 : -1;
  }

  /** In C++ a variable hides a class of its name. */
  private isHidden(module: Module, die: Die, name: string): boolean {
    return !die.unit.isC && !name.includes('::') && this.best(this.candidates(module, name, ['variable']), name) !== undefined;
  }

  private made(die: Die, module: Module): FoundName {
    const type = module.info?.types.of(unlessCorrupt(() => ancestorsOf(die).at(-1), () => undefined));
    if (die.tag === TAG.ENUMERATOR && type?.kind === 'enum') return { kind: 'enumerator', type, value: type.enumerators.find((e) => e.name === die.name)?.value ?? 0n };
    if (die.tag === TAG.SUBPROGRAM) return { kind: 'function', die, module };
    return { kind: 'variable', variable: new Variable(die), module, frame: undefined };
  }

  private isFunction(name: string): boolean {
    return this.modules.some((module) => this.candidates(module, name, ['function']).some(hasCode));
  }

  /** A variable of a function: of its innermost frame, or a static one. */
  private functionVariable(scope: string, name: string): FoundName | undefined {
    for (const module of this.modules) {
      for (const die of this.candidates(module, scope, ['function']).filter(hasCode)) {
        const outer = die.unit.functions.scopeAt(die.offset);
        const variable = variableOf(outer, name) ?? outer.children.map((child) => variableOf(child, name)).find((found) => found !== undefined);
        if (variable === undefined) continue;
        return { kind: 'variable', variable, module, frame: variable.isStatic ? undefined : this.frameOf(die, scope) };
      }
    }
    return undefined;
  }

  private frameOf(die: Die, name: string): StackFrame {
    let frame = this.around.frame?.stack;
    for (let i = 0; i < MOST_FRAMES && frame !== undefined; i++, frame = frame.caller()) {
      const scope = functionScope({ stack: frame, call: Math.max(0, frame.calls.length - 1) });
      if (scope?.die.is(die) === true) return frame;
    }
    return fail(`No frame is currently executing in block ${name}.`);
  }
}

function isPlainName(die: Die): boolean {
  return die.tag === TAG.TYPEDEF || die.tag === TAG.BASE_TYPE || die.tag === TAG.UNSPECIFIED_TYPE;
}

function hasCode(die: Die): boolean {
  return die.has(AT.LOW_PC) || die.has(AT.RANGES);
}

function isOfFile(die: Die, file: string): boolean {
  const name = die.unit.name ?? '';
  return name === file || name.endsWith(`/${file}`);
}

function hasFile(module: Module, file: string): boolean {
  return module.info?.units.some(({ full }) => full.name === file || full.name?.endsWith(`/${file}`) === true) ?? false;
}

/** The structure that a type is, or points to. */
export function structureOf(type: Type): StructType | undefined {
  const plain = strip(type);
  const target = plain.kind === 'pointer' || plain.kind === 'reference' ? strip(plain.to) : plain;
  return target.kind === 'struct' ? target : undefined;
}
