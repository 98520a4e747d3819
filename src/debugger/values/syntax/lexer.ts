/**
 * Tokens of C and C++ expressions with gdb's additions (`$name`, `@`, `'quoted name'`), one at a time, errors as gdb
 * words them.
 */
import { fail } from '../expressionError.js';

export type Token =
  | { readonly kind: 'number'; readonly text: string; readonly at: number }
  | { readonly kind: 'name'; readonly text: string; readonly at: number }
  | { readonly kind: 'dollar'; readonly text: string; readonly at: number }
  /** What stands between the quotes; single quotes may hold a character or a name. */
  | { readonly kind: 'string'; readonly text: string; readonly quote: "'" | '"'; readonly prefix: StringPrefix; readonly at: number }
  | { readonly kind: 'operator'; readonly text: string; readonly at: number }
  | { readonly kind: 'end'; readonly text: ''; readonly at: number };

export type StringPrefix = '' | 'L' | 'u' | 'U' | 'u8';

const OPERATORS = [
  '>>=', '<<=', '->*', '...', '+=', '-=', '*=', '/=', '%=', '|=', '&=', '^=', '++', '--', '->', '.*', '&&', '||', '::', '<<', '>>', '==', '!=', '<=', '>=',
  '+', '-', '*', '/', '%', '|', '&', '^', '~', '!', '<', '>', '=', '(', ')', '[', ']', '{', '}', '?', ':', ',', '@', '.',
];
const NAME = /[A-Za-z_\u0080-\u{10ffff}][\w$\u0080-\u{10ffff}]*/uy;
const DOLLAR = /\$[\w$]*/y;
const ALTERNATIVE: ReadonlyMap<string, string> = new Map([['and', '&&'], ['or', '||'], ['not', '!'], ['xor', '^'], ['bitand', '&'], ['bitor', '|'], ['compl', '~'], ['not_eq', '!=']]);

export class Lexer {
  constructor(
    readonly text: string,
    private readonly isCPlusPlus: boolean,
  ) {}

  /** The token at or after a position, and where it ends. */
  next(from: number): { token: Token; end: number } {
    const { text } = this;
    let at = from;
    while (at < text.length && /\s/.test(text[at] as string)) at++;
    const c = text[at];
    if (c === undefined) return { token: { kind: 'end', text: '', at }, end: at };
    if (/\d/.test(c) || (c === '.' && /\d/.test(text[at + 1] ?? ''))) return this.number(at);
    if (c === '$') return this.matched('dollar', DOLLAR, at);
    const prefix = /(?:u8|[LuU])?(?=["'])/y;
    prefix.lastIndex = at;
    const quoted = prefix.exec(text);
    if (quoted !== null) return this.quoted(at, quoted[0] as StringPrefix);
    NAME.lastIndex = at;
    if (NAME.test(text)) return this.name(at);
    const operator = OPERATORS.find((sign) => text.startsWith(sign, at));
    if (operator === undefined) return fail(`Invalid character '${c}' in expression.`);
    return { token: { kind: 'operator', text: operator, at }, end: at + operator.length };
  }

  private name(at: number): { token: Token; end: number } {
    const found = this.matched('name', NAME, at);
    const sign = this.isCPlusPlus ? ALTERNATIVE.get(found.token.text) : undefined;
    return sign === undefined ? found : { token: { kind: 'operator', text: sign, at }, end: found.end };
  }

  private matched(kind: 'name' | 'dollar', pattern: RegExp, at: number): { token: Token; end: number } {
    pattern.lastIndex = at;
    const text = pattern.exec(this.text)?.[0] ?? '';
    return { token: { kind, text, at }, end: at + text.length };
  }

  /** All that looks like part of a number, as gdb takes it; whether it is one is seen later. */
  private number(at: number): { token: Token; end: number } {
    const { text } = this;
    const isHex = /^0x/i.test(text.slice(at, at + 2));
    let [end, sawExponent, sawPoint] = [at, false, false];
    for (; end < text.length; end++) {
      const c = text[end] as string;
      if (!isHex && !sawExponent && /e/i.test(c)) sawExponent = true;
      else if (isHex && !sawExponent && /p/i.test(c)) sawExponent = true;
      else if (!sawPoint && c === '.') sawPoint = true;
      else if ((c === '-' || c === '+') && sawExponent && /[ep]/i.test(text[end - 1] ?? '')) continue;
      else if (!/\w/.test(c)) break;
    }
    return { token: { kind: 'number', text: text.slice(at, end), at }, end };
  }

  private quoted(at: number, prefix: StringPrefix): { token: Token; end: number } {
    const { text } = this;
    const quote = text[at + prefix.length] as "'" | '"';
    for (let end = at + prefix.length + 1; end < text.length; end++) {
      if (text[end] === '\\') end++;
      else if (text[end] === quote) {
        return { token: { kind: 'string', text: text.slice(at + prefix.length + 1, end), quote, prefix, at }, end: end + 1 };
      }
    }
    return fail(quote === '"' ? 'Unterminated string in expression.' : 'Unmatched single quote.');
  }
}
