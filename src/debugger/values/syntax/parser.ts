/**
 * Expressions of C with much of C++ and gdb's additions, by recursive descent. Precedence is gdb's: `@` is between `+`
 * and `<<`. Errors are gdb's, too: they show what is left from the token that does not fit.
 */
import type { Type } from '../../../dwarf/types.js';
import { fail } from '../expressionError.js';
import { booleanLiteral, parseCharacter, parseNumber, parseStrings } from './literals.js';
import { readQualifiedName } from './qualifiedNames.js';
import { Tokens } from './tokens.js';
import type { ArithmeticOperator, BinaryOperator, Expression, UnaryOperator } from './tree.js';
import { TypeParser, type TypeNames } from './typeParser.js';

/** Binary operators, the loosest first. */
const LEVELS: readonly (readonly BinaryOperator[])[] = [
  ['||'], ['&&'], ['|'], ['^'], ['&'], ['==', '!='], ['<', '>', '<=', '>='], ['<<', '>>'], ['@'], ['+', '-'], ['*', '/', '%'],
];
const UNARY: readonly UnaryOperator[] = ['-', '+', '!', '~', '*', '&', '++', '--'];
const CASTS: ReadonlySet<string> = new Set(['reinterpret_cast', 'static_cast', 'const_cast', 'dynamic_cast']);
/** Deeper nesting would exhaust our stack. */
const DEEPEST = 250;
/** So many operators in a row, which nest just as deeply. */
const LONGEST_ROW = 2000;

/** Throws an ExpressionError if it is none. */
export function parseExpression(text: string, names: TypeNames): Expression {
  return new Parser(text, names).whole();
}

class Parser {
  private readonly tokens: Tokens;
  private readonly types: TypeParser;
  private depth = 0;
  private operators = 0;

  constructor(
    text: string,
    private readonly names: TypeNames,
  ) {
    this.tokens = new Tokens(text, names.isCPlusPlus);
    this.types = new TypeParser(this.tokens, names);
  }

  whole(): Expression {
    const expression = this.comma();
    const { tokens } = this;
    if (tokens.isOperator(')') || tokens.isOperator(']')) fail('Junk after end of expression.');
    if (tokens.token.kind !== 'end') tokens.syntaxError();
    return expression;
  }

  private comma(): Expression {
    let left = this.assignment();
    while (this.tokens.accept(',')) {
      this.countOperator();
      left = { kind: 'binary', operator: ',', left, right: this.assignment() };
    }
    return left;
  }

  private assignment(): Expression {
    return this.nested(() => {
      const left = this.conditional();
      const { token } = this.tokens;
      const match = token.kind === 'operator' ? /^(|[-+*/%&|^]|<<|>>)=$/.exec(token.text) : null;
      if (match === null) return left;
      this.tokens.take();
      const operator = match[1] === '' ? undefined : (match[1] as ArithmeticOperator);
      return { kind: 'assign', operator, left, right: this.assignment() };
    });
  }

  private conditional(): Expression {
    const condition = this.binary(0);
    if (!this.tokens.accept('?')) return condition;
    const yes = this.comma();
    this.tokens.expect(':');
    return { kind: 'conditional', condition, yes, no: this.nested(() => this.conditional()) };
  }

  private binary(level: number): Expression {
    const operators = LEVELS[level];
    if (operators === undefined) return this.unary();
    let left = this.binary(level + 1);
    for (;;) {
      const { token } = this.tokens;
      const operator = token.kind === 'operator' ? operators.find((sign) => sign === token.text) : undefined;
      if (operator === undefined) return left;
      this.countOperator();
      this.tokens.take();
      left = { kind: 'binary', operator, left, right: this.binary(level + 1) };
    }
  }

  private unary(): Expression {
    return this.nested(() => {
      const { tokens } = this;
      const { token } = tokens;
      const operator = token.kind === 'operator' ? UNARY.find((sign) => sign === token.text) : undefined;
      if (operator !== undefined) {
        tokens.take();
        return { kind: 'unary', operator, operand: this.unary() };
      }
      if (tokens.isOperator('{')) return this.typeAt();
      if (tokens.isOperator('(')) return this.castOrGroup();
      if (tokens.isWord('sizeof')) return this.sizeof();
      if (tokens.isWord('alignof') || tokens.isWord('_Alignof')) return this.alignof();
      return this.postfix(this.primary());
    });
  }

  /** `{type} address`, or an array: `{1, 2}`. */
  private typeAt(): Expression {
    this.tokens.take();
    const type = this.types.tryType();
    if (type === undefined) return this.postfix(this.arrayLiteral());
    this.tokens.expect('}');
    return { kind: 'at', type, operand: this.unary() };
  }

  private arrayLiteral(): Expression {
    const elements = [this.assignment()];
    while (this.tokens.accept(',')) elements.push(this.assignment());
    this.tokens.expect('}');
    return { kind: 'array', elements };
  }

  private castOrGroup(): Expression {
    const { tokens } = this;
    tokens.take();
    const mark = tokens.mark();
    const type = this.types.tryType();
    if (type !== undefined && tokens.isOperator(')')) {
      tokens.take();
      return { kind: 'cast', type, operand: this.unary() };
    }
    tokens.back(mark);
    const inner = this.comma();
    tokens.expect(')');
    return this.postfix(inner);
  }

  private sizeof(): Expression {
    const { tokens } = this;
    tokens.take();
    if (tokens.isOperator('(')) {
      const mark = tokens.mark();
      tokens.take();
      const type = this.types.tryType();
      if (type !== undefined && tokens.accept(')')) return { kind: 'sizeof', operand: { kind: 'type', type } };
      tokens.back(mark);
    }
    return { kind: 'sizeof', operand: this.unary() };
  }

  private alignof(): Expression {
    this.tokens.take();
    this.tokens.expect('(');
    const type = this.types.tryType() ?? this.tokens.syntaxError();
    this.tokens.expect(')');
    return { kind: 'alignof', type };
  }

  private primary(): Expression {
    const { tokens } = this;
    const { token } = tokens;
    switch (token.kind) {
      case 'number':
        tokens.take();
        return parseNumber(token.text);
      case 'dollar':
        tokens.take();
        return dollar(token.text);
      case 'string': return this.quoted();
      case 'name': return this.name();
      default: return tokens.isOperator('::') ? this.name() : tokens.syntaxError();
    }
  }

  private quoted(): Expression {
    const { tokens } = this;
    const first = tokens.take();
    if (first.kind !== 'string') return tokens.syntaxError();
    if (first.quote === "'") return this.character(first);
    const parts = [first];
    for (let { token } = tokens; token.kind === 'string' && token.quote === '"'; token = tokens.token) {
      parts.push(token);
      tokens.take();
    }
    return parseStrings(parts, this.names);
  }

  /** A character, or a name that is quoted because it would not be one otherwise. */
  private character(token: { readonly text: string; readonly prefix: '' | 'L' | 'u' | 'U' | 'u8' }): Expression {
    const { tokens } = this;
    if (tokens.isOperator('::')) {
      tokens.take();
      const name = readQualifiedName(tokens, this.names) ?? tokens.syntaxError();
      return { kind: 'scoped', scope: token.text, name };
    }
    if (/^[A-Za-z_~:(].{3,}|^[A-Za-z_]\w+$/.test(token.text) && token.prefix === '' && this.names.isBlockName(token.text)) return { kind: 'name', name: token.text };
    return parseCharacter(token.text, token.prefix, this.names);
  }

  private name(): Expression {
    const { tokens, names } = this;
    if (tokens.token.kind === 'name') {
      const word = tokens.token.text;
      if (CASTS.has(word)) return this.namedCast();
      if (names.isCPlusPlus && (word === 'true' || word === 'false')) {
        tokens.take();
        return booleanLiteral(word === 'true');
      }
    }
    const type = this.types.tryType();
    if (type !== undefined) return tokens.isOperator('(') ? this.functionalCast(type) : { kind: 'type', type };
    const file = this.fileScope();
    if (file !== undefined) return file;
    const text = readQualifiedName(tokens, names) ?? tokens.syntaxError();
    if (tokens.isOperator('@') && /^@entry\b/.test(tokens.rest.trimStart())) {
      tokens.take();
      tokens.take();
      return { kind: 'entryValue', name: text };
    }
    const split = text.lastIndexOf('::');
    if (split > 0 && names.isBlockName(text.slice(0, split))) return { kind: 'scoped', scope: text.slice(0, split), name: text.slice(split + 2) };
    names.checkName(text);
    return { kind: 'name', name: text };
  }

  /** `file.c::name` without quotes. */
  private fileScope(): Expression | undefined {
    const { tokens, names } = this;
    const match = /^\s*([\w./+-]*\w\.(?:c|cc|cpp|cxx|C|h|hh|hpp))::/.exec(tokens.rest);
    if (match === null || !names.isBlockName(match[1] as string)) return undefined;
    tokens.skip(match[0].length);
    return { kind: 'scoped', scope: match[1] as string, name: readQualifiedName(tokens, names) ?? tokens.syntaxError() };
  }

  private functionalCast(type: Type): Expression {
    if (!this.tokens.accept('(')) return { kind: 'type', type };
    const operand = this.comma();
    this.tokens.expect(')');
    return { kind: 'cast', type, operand };
  }

  private namedCast(): Expression {
    const { tokens } = this;
    const word = tokens.take().text;
    tokens.expect('<');
    const type = this.types.tryType() ?? tokens.syntaxError();
    tokens.expect('>');
    tokens.expect('(');
    const operand = this.comma();
    tokens.expect(')');
    return { kind: 'cast', type, operand, ...(word === 'dynamic_cast' ? { word: 'dynamic' } : word === 'reinterpret_cast' ? { word: 'reinterpret' } : {}) };
  }

  private postfix(start: Expression): Expression {
    const { tokens } = this;
    let object = start;
    for (;; this.countOperator()) {
      if (tokens.accept('[')) {
        object = { kind: 'index', array: object, index: this.comma() };
        tokens.expect(']');
      } else if (tokens.isOperator('.') || tokens.isOperator('->')) {
        const throughPointer = tokens.take().text === '->';
        object = { kind: 'member', object, name: readQualifiedName(tokens, this.names) ?? tokens.syntaxError(), throughPointer };
      } else if (tokens.isOperator('.*') || tokens.isOperator('->*')) {
        const throughPointer = tokens.take().text === '->*';
        object = { kind: 'memberPointer', object, member: this.unary(), throughPointer };
      } else if (tokens.isOperator('++') || tokens.isOperator('--')) {
        object = { kind: 'postfix', operator: tokens.take().text as '++' | '--', operand: object };
      } else if (tokens.accept('(')) {
        object = { kind: 'call', callee: object, values: this.values() };
      } else return object;
    }
  }

  private values(): Expression[] {
    if (this.tokens.accept(')')) return [];
    const values = [this.assignment()];
    while (this.tokens.accept(',')) values.push(this.assignment());
    this.tokens.expect(')');
    return values;
  }

  private countOperator(): void {
    if (++this.operators > LONGEST_ROW) fail('The expression is too long.');
  }

  private nested<T>(parse: () => T): T {
    if (++this.depth > DEEPEST) fail('The expression is nested too deeply.');
    const result = parse();
    this.depth--;
    return result;
  }
}

function dollar(text: string): Expression {
  const match = /^\$(\$?)(\d*)$/.exec(text);
  if (match === null) return { kind: 'dollar', name: text.slice(1) };
  const [, second = '', digits = ''] = match;
  if (second === '' && digits !== '') return { kind: 'history', number: Number(digits), isRelative: false };
  return { kind: 'history', number: digits === '' ? (second === '' ? 0 : 1) : Number(digits), isRelative: true };
}
