/** Walks over tokens and says what it found and what it wanted when they differ. */
import type { Token } from './tokens.js';
import { RuleSyntaxError, type RulePlace } from './problems.js';

export class Cursor {
  private index = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  get token(): Token {
    return this.peek(0);
  }

  peek(ahead: number): Token {
    return this.tokens[Math.min(this.index + ahead, this.tokens.length - 1)]!;
  }

  /** The token that was taken last. */
  get previous(): Token {
    return this.tokens[Math.max(0, this.index - 1)]!;
  }

  take(): Token {
    const token = this.token;
    if (this.index < this.tokens.length - 1) this.index++;
    return token;
  }

  isSymbol(text: string): boolean {
    return this.token.kind === 'symbol' && this.token.text === text;
  }

  isWord(text: string): boolean {
    return this.token.kind === 'name' && this.token.text === text;
  }

  accept(text: string): boolean {
    if (!this.isSymbol(text) && !this.isWord(text)) return false;
    this.take();
    return true;
  }

  expect(text: string, hint?: string): Token {
    if (this.isSymbol(text) || this.isWord(text)) return this.take();
    return this.fail(`'${text}'`, hint);
  }

  expectName(what: string, hint?: string): Token {
    return this.token.kind === 'name' && this.token.text !== '_' ? this.take() : this.fail(what, hint);
  }

  expectString(what: string): Token {
    return this.token.kind === 'string' ? this.take() : this.fail(what);
  }

  /** Throws: what stands here is not what was expected. */
  fail(expected: string, hint?: string): never {
    return this.failAt(this.token.place, `found ${describe(this.token)}, expected ${expected}`, hint);
  }

  failAt(place: RulePlace, message: string, hint?: string): never {
    throw new RuleSyntaxError({ place, message, ...(hint !== undefined && { hint }) });
  }

  /** To where the next definition or rule seems to begin, at least one token further. */
  skipToItem(begins: (token: Token) => boolean): void {
    do this.take();
    while (this.token.kind !== 'end' && !begins(this.token));
  }
}

function describe(token: Token): string {
  switch (token.kind) {
    case 'end':
      return 'the end of the file';
    case 'string':
      return `the string ${JSON.stringify(token.text)}`;
    case 'include':
      return '#include';
    default:
      return `'${token.text}'`;
  }
}
