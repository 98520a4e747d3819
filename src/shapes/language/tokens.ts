/**
 * The words of `.shape` files. What the paper prints with other signs becomes ours here: arrows, comparisons, dashes
 * that begin a remark (`– Data structure is a tree`), and the paper's labels, `..(c1)`, as one word `..` and the rest.
 */
import { RuleSyntaxError } from '../../rules/language/problems.js';
import type { Token } from '../../rules/language/tokens.js';
import type { ShapePlace } from './ast.js';

/** As printed, and as we write it. Longer ones come before those that they begin with. */
const SIGNS: readonly (readonly [string, string])[] = [
  ['/->>', '/->>'], ['!->>', '/->>'], ['->>', '->>'], ['/->', '/->'], ['!->', '/->'], ['->', '->'],
  ['/→→', '/->>'], ['→→', '->>'], ['/↠', '/->>'], ['↠̸', '/->>'], ['↠', '->>'], ['⤀', '/->>'], ['⤁', '/->>'], ['⟶', '->'], ['/→', '/->'], ['↛', '/->'],
  ['↛', '/->'], ['↯', '/->'], ['⇸', '/->'], ['→', '->'], ['↣', '->>'], ['⇝', '->>'],
  ['=>', '=>'], ['⇒', '=>'], ['⟹', '=>'],
  ['≤', '<='], ['⩽', '<='], ['≥', '>='], ['⩾', '>='], ['≠', '!='], ['<>', '!='], ['≡', '=='], ['−', '-'], ['×', '*'], ['÷', '/'], ['∗', '*'],
  ['∧', '&&'], ['∨', '||'], ['¬', '!'],
  ...['&&', '||', '==', '!=', '<=', '>=', '<<', '>>', '...', '..'].map((sign) => [sign, sign] as const),
  ...[...'[](){}<>;:,.|&!+-*/%=?'].map((sign) => [sign, sign] as const),
];
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', '"': '"', '\\': '\\' };
const WORD = /[A-Za-z_$][\w$]*/y;
const NUMBER = /0[xX][0-9a-fA-F]+|\d+/y;
/** In programs it stands as `##C-POINT(T)`. */
const POINT = /(?:##)?C-POINT\b|(?:##)?CPOINT\b/y;
/** A remark between statements, as in Figure 6; or the C declaration of Example 4. */
const REMARK = /(?:–|—|--)|-[ \t]*struct\b/y;

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

  private place(): ShapePlace {
    return { file: this.file, line: this.line, column: this.offset - this.lineStart + 1 };
  }

  private fail(message: string, hint?: string): never {
    throw new RuleSyntaxError({ place: this.place(), message, ...(hint !== undefined && { hint }) });
  }

  private skipBlanks(): void {
    for (;;) {
      const two = this.text.slice(this.offset, this.offset + 2);
      if (/^\s/.test(two)) this.step();
      else if (two === '//' || this.isRemark()) this.skipLine();
      else if (two === '/*') this.skipComment();
      else return;
    }
  }

  private isRemark(): boolean {
    return this.match(REMARK) !== undefined && this.text.slice(this.lineStart, this.offset).trim() === '';
  }

  private step(): void {
    if (this.text[this.offset] === '\n') {
      this.line++;
      this.lineStart = this.offset + 1;
    }
    this.offset++;
  }

  private skipLine(): void {
    while (this.offset < this.text.length && this.text[this.offset] !== '\n') this.offset++;
  }

  private skipComment(): void {
    const end = this.text.indexOf('*/', this.offset + 2);
    if (end < 0) this.fail('this comment has no end', 'close it with */');
    while (this.offset < end + 2) this.step();
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.offset;
    return pattern.exec(this.text)?.[0];
  }

  private next(): Token {
    if (this.offset >= this.text.length) return this.token('end', '', 0);
    const point = this.match(POINT);
    if (point !== undefined) return this.token('name', 'C-POINT', point.length);
    const word = this.match(WORD);
    if (word !== undefined) return this.token('name', word, word.length);
    const number = this.match(NUMBER);
    if (number !== undefined) return this.token('number', number, number.length);
    if (this.text[this.offset] === '"') return this.string();
    const sign = SIGNS.find(([printed]) => this.text.startsWith(printed, this.offset));
    if (sign === undefined) this.fail(`found ${JSON.stringify(String.fromCodePoint(this.text.codePointAt(this.offset)!))}, which no specification contains`);
    return this.token('symbol', sign[1], sign[0].length);
  }

  private token(kind: Token['kind'], text: string, length: number): Token {
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
      if (character === '\\') value += ESCAPES[this.text[++i] ?? ''] ?? this.fail(`unknown escape \\${this.text[i] ?? ''}`, 'known are \\n \\t \\" and \\\\');
      else value += character;
    }
    return this.token('string', value, i + 1 - this.offset);
  }
}
