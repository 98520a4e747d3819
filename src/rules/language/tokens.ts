/**
 * The words of the rule language. Comments are `//` to the end of the line, C's, and lines that begin with `#` and are
 * not `#include`. A dot by itself is the paper's wildcard, `_` is the same; names of rules (`[double.free]`) are put
 * together by the parser, which is why a token knows whether something stands directly before it.
 */
import { RuleSyntaxError, type RulePlace } from './problems.js';

type TokenKind = 'name' | 'number' | 'string' | 'symbol' | 'include' | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** As written; for strings what is between the quotes, escapes replaced. */
  readonly text: string;
  readonly place: RulePlace;
  /** Nothing lies between this token and the one before. */
  readonly joined: boolean;
}

const SYMBOLS = ['->', '&&', '||', '==', '!=', '<=', '>=', '<<', '>>', ...'[](){}<>;:,.|&^~!+-*/%=?'];
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', '"': '"', '\\': '\\', '{': '{{' };

export function tokenize(text: string, file: string): Token[] {
  return new Lexer(text, file).all();
}

class Lexer {
  private offset = 0;
  private line = 1;
  private lineStart = 0;
  private previousEnd = -1;

  constructor(
    private readonly text: string,
    private readonly file: string,
  ) {}

  all(): Token[] {
    const tokens: Token[] = [];
    for (;;) {
      this.skipBlanks();
      const token = this.next();
      tokens.push(token);
      if (token.kind === 'end') return tokens;
    }
  }

  private place(offset = this.offset): RulePlace {
    return { file: this.file, line: this.line, column: offset - this.lineStart + 1 };
  }

  private fail(message: string, hint?: string): never {
    throw new RuleSyntaxError({ place: this.place(), message, ...(hint !== undefined && { hint }) });
  }

  private skipBlanks(): void {
    for (;;) {
      const rest = this.text.slice(this.offset, this.offset + 2);
      if (/^\s/.test(rest)) this.step();
      else if (rest === '//' || (rest[0] === '#' && this.isCommentLine())) this.skipLine();
      else if (rest === '/*') this.skipComment();
      else return;
    }
  }

  private step(): void {
    if (this.text[this.offset] === '\n') {
      this.line++;
      this.lineStart = this.offset + 1;
    }
    this.offset++;
  }

  /** `#` begins a comment only as the first thing of a line; `#include` is none. */
  private isCommentLine(): boolean {
    if (this.text.slice(this.lineStart, this.offset).trim() !== '') this.fail("found '#' inside a line", 'comments within a line begin with //');
    return !/^#[ \t]*include\b/.test(this.text.slice(this.offset, this.offset + 40));
  }

  private skipLine(): void {
    while (this.offset < this.text.length && this.text[this.offset] !== '\n') this.offset++;
  }

  private skipComment(): void {
    const end = this.text.indexOf('*/', this.offset + 2);
    if (end < 0) this.fail('this comment has no end', 'close it with */');
    while (this.offset < end + 2) this.step();
  }

  private next(): Token {
    const at = this.offset;
    if (at >= this.text.length) return this.token('end', '', 0);
    const word = /[A-Za-z_$][\w$]*/y;
    const number = /0[xX][0-9a-fA-F]+|\d+/y;
    const include = /#[ \t]*include\b/y;
    for (const [kind, pattern] of [['name', word], ['number', number], ['include', include]] as const) {
      pattern.lastIndex = at;
      const found = pattern.exec(this.text);
      if (found !== null) return this.token(kind, found[0], found[0].length);
    }
    if (this.text[at] === '"') return this.string();
    const symbol = SYMBOLS.find((candidate) => this.text.startsWith(candidate, at));
    if (symbol === undefined) this.fail(`found ${JSON.stringify(this.text[at])}, which no rule contains`, hintForCharacter(this.text[at]!));
    return this.token('symbol', symbol, symbol.length);
  }

  private token(kind: TokenKind, text: string, length: number): Token {
    const token: Token = { kind, text, place: this.place(), joined: this.previousEnd === this.offset };
    this.offset += length;
    this.previousEnd = this.offset;
    return token;
  }

  private string(): Token {
    let value = '';
    let i = this.offset + 1;
    for (; this.text[i] !== '"'; i++) {
      const character = this.text[i];
      if (character === undefined || character === '\n') this.fail('this string has no end', 'close it with " on the same line');
      if (character === '\\') value += ESCAPES[this.text[++i] ?? ''] ?? this.fail(`unknown escape \\${this.text[i] ?? ''}`, 'known are \\n \\t \\" \\\\ and \\{');
      else value += character;
    }
    return this.token('string', value, i + 1 - this.offset);
  }
}

/** The paper's printed symbols, for those who copy from it. */
function hintForCharacter(character: string): string | undefined {
  const ascii: Readonly<Record<string, string>> = {
    '∧': '&&', '∨': '||', '¬': '!', '∃': 'exists', '∀': 'forall', '∈': 'in', '≥': '>=', '≤': '<=', '≠': '!=', σ: 'Trace', '↦': '->', "'": '"…"',
  };
  const written = ascii[character];
  return written === undefined ? undefined : `write ${written}`;
}
