/**
 * Names of types: `unsigned int`, `struct s *`, `int (*)(char, ...)`, `char [3]`, `ns::Class<int> &`. Specifiers first,
 * then what stands around the name that is not there.
 */
import type { Qualifier, Type } from '../../../dwarf/types.js';
import { fail } from '../expressionError.js';
import { arrayOf, functionReturning, languageType, pointerTo, qualified, referenceTo } from '../madeTypes.js';
import { readQualifiedName } from './qualifiedNames.js';
import type { Tokens } from './tokens.js';

/** What the parser needs to know of names. */
export interface TypeNames {
  readonly isCPlusPlus: boolean;
  /** The type of that name, unless it is hidden by something else. */
  typeNamed(name: string): Type | undefined;
  /** Throws if there is none. */
  taggedType(keyword: TagKeyword, name: string): Type;
  /** Throws if nothing has that name. */
  checkName(name: string): void;
  /** Whether `name::` may stand before a variable: a function or a source file. */
  isBlockName(name: string): boolean;
  /** Whether a name is that of a template. */
  isTemplate(name: string): boolean;
}

export type TagKeyword = 'struct' | 'class' | 'union' | 'enum';

const TAGS: ReadonlySet<string> = new Set(['struct', 'class', 'union', 'enum']);
const ARITHMETIC: ReadonlySet<string> = new Set(['unsigned', 'signed', 'int', 'char', 'short', 'long', 'double', 'float', '__int128', '_Complex', '__complex__']);
const QUALIFIERS: ReadonlyMap<string, Qualifier> = new Map([
  ['const', 'const'], ['volatile', 'volatile'], ['restrict', 'restrict'], ['__restrict__', 'restrict'], ['__restrict', 'restrict'], ['_Atomic', 'atomic'],
]);

/** From the inside out: what becomes of the type that stands around. */
type Wrap = (type: Type) => Type;

export class TypeParser {
  constructor(
    private readonly tokens: Tokens,
    private readonly names: TypeNames,
  ) {}

  /** The type that begins here; undefined if none does, and nothing is taken. */
  tryType(): Type | undefined {
    const mark = this.tokens.mark();
    const base = this.specifiers();
    if (base === undefined) {
      this.tokens.back(mark);
      return undefined;
    }
    return this.declarator()(base);
  }

  private specifiers(): Type | undefined {
    const qualifiers: Qualifier[] = [];
    const words: string[] = [];
    let named: Type | undefined;
    for (;;) {
      const { token } = this.tokens;
      if (token.kind !== 'name' && !this.tokens.isOperator('::')) break;
      const qualifier = QUALIFIERS.get(token.text);
      if (qualifier !== undefined) {
        qualifiers.push(qualifier);
        this.tokens.take();
      } else if (named === undefined && ARITHMETIC.has(token.text)) {
        words.push(this.tokens.take().text);
      } else if (named === undefined && words.length === 0) {
        named = this.namedType();
        if (named === undefined) break;
      } else break;
    }
    const base = named ?? (words.length > 0 ? arithmeticType(words, this.names) : undefined);
    if (base === undefined && qualifiers.length > 0) this.tokens.syntaxError();
    return base === undefined ? undefined : qualifiers.reduce((type, qualifier) => qualified(qualifier, type), base);
  }

  private namedType(): Type | undefined {
    const { tokens, names } = this;
    if (TAGS.has(tokens.token.text)) {
      const keyword = tokens.take().text as TagKeyword;
      const name = readQualifiedName(tokens, names) ?? tokens.syntaxError();
      return names.taggedType(keyword, name);
    }
    if (tokens.isWord('void')) return languageType(tokens.take().text);
    if (tokens.isWord('typename')) tokens.take();
    const mark = tokens.mark();
    const name = readQualifiedName(tokens, names);
    const type = name === undefined ? undefined : names.typeNamed(name);
    if (type === undefined) tokens.back(mark);
    return type;
  }

  /** What stands around a name that is not there. */
  private declarator(depth = 0): Wrap {
    const { tokens } = this;
    if (depth > 50) fail('The type is too complicated.');
    if (tokens.accept('*')) return this.pointer(pointerTo, depth);
    if (tokens.accept('&')) return this.pointer((type) => referenceTo(type), depth);
    if (tokens.accept('&&')) return this.pointer((type) => referenceTo(type, true), depth);
    if (tokens.isOperator('(')) {
      const mark = tokens.mark();
      tokens.take();
      if (tokens.isOperator('*') || tokens.isOperator('&') || tokens.isOperator('(') || tokens.isOperator('[')) {
        const inner = this.declarator(depth + 1);
        tokens.expect(')');
        const after = this.suffixes();
        return (type) => inner(after(type));
      }
      tokens.back(mark);
    }
    return this.suffixes();
  }

  private pointer(make: Wrap, depth: number): Wrap {
    const qualifiers: Qualifier[] = [];
    for (let word = QUALIFIERS.get(this.tokens.token.text); word !== undefined; word = QUALIFIERS.get(this.tokens.token.text)) {
      qualifiers.push(word);
      this.tokens.take();
    }
    const rest = this.declarator(depth + 1);
    return (type) => rest(qualifiers.reduce((inner, qualifier) => qualified(qualifier, inner), make(type)));
  }

  /** Dimensions and parameters. */
  private suffixes(): Wrap {
    const { tokens } = this;
    if (tokens.isOperator('[')) {
      const mark = tokens.mark();
      tokens.take();
      const { token } = tokens;
      const count = token.kind === 'number' ? Number(tokens.take().text) : undefined;
      if (!tokens.accept(']') || Number.isNaN(count)) {
        tokens.back(mark);
        return (type) => type;
      }
      const rest = this.suffixes();
      return (type) => arrayOf(rest(type), count);
    }
    const parameters = this.parameters();
    if (parameters === undefined) return (type) => type;
    const rest = this.suffixes();
    return (type) => functionReturning(rest(type), parameters.types, parameters.isVariadic, parameters.isPrototyped);
  }

  /** A list of parameters; undefined if what follows is none. */
  private parameters(): { types: Type[]; isVariadic: boolean; isPrototyped: boolean } | undefined {
    const { tokens } = this;
    const mark = tokens.mark();
    if (!tokens.accept('(')) return undefined;
    if (tokens.accept(')')) return { types: [], isVariadic: false, isPrototyped: false };
    const types: Type[] = [];
    for (;;) {
      if (tokens.accept('...')) {
        tokens.expect(')');
        return { types, isVariadic: true, isPrototyped: true };
      }
      const type = this.tryType();
      if (type === undefined) {
        tokens.back(mark);
        return undefined;
      }
      types.push(type);
      if (tokens.accept(')')) break;
      tokens.expect(',');
    }
    const isVoid = types.length === 1 && types[0]?.kind === 'void';
    return { types: isVoid ? [] : types, isVariadic: false, isPrototyped: true };
  }
}

/** `long unsigned` and the like. */
function arithmeticType(words: readonly string[], names: TypeNames): Type {
  const has = (word: string): boolean => words.includes(word);
  const longs = words.filter((word) => word === 'long').length;
  const sign = has('unsigned') ? 'unsigned ' : '';
  if (has('_Complex') || has('__complex__')) return names.typeNamed(`complex ${has('float') ? 'float' : longs > 0 ? 'long double' : 'double'}`) ?? fail('No complex type in current context.');
  if (has('float')) return languageType('float') as Type;
  if (has('double')) return languageType(longs > 0 ? 'long double' : 'double') as Type;
  if (has('char')) return languageType(has('signed') ? 'signed char' : `${sign}char`) as Type;
  if (has('short')) return languageType(`${sign}short`) as Type;
  if (has('__int128')) return languageType(`${sign}__int128`) as Type;
  if (longs > 0) return languageType(`${sign}${longs > 1 ? 'long long' : 'long'}`) as Type;
  return languageType(sign === '' ? 'int' : 'unsigned int') as Type;
}
