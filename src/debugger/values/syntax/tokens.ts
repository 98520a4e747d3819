/** A place in the tokens of an expression: looking ahead, taking what is wanted, complaining about what is not. */
import { fail } from '../expressionError.js';
import { Lexer, type Token } from './lexer.js';

export class Tokens {
  private readonly lexer: Lexer;
  /** Where the current token was looked for, it, and where it ends. */
  private position = 0;
  private current: { token: Token; end: number } | undefined;

  constructor(
    readonly text: string,
    isCPlusPlus: boolean,
  ) {
    this.lexer = new Lexer(text, isCPlusPlus);
  }

  get token(): Token {
    this.current ??= this.lexer.next(this.position);
    return this.current.token;
  }

  /** Takes the current token. */
  take(): Token {
    const { token } = this;
    this.position = this.current?.end ?? this.position;
    this.current = undefined;
    return token;
  }

  isOperator(text: string): boolean {
    return this.token.kind === 'operator' && this.token.text === text;
  }

  isWord(text: string): boolean {
    return this.token.kind === 'name' && this.token.text === text;
  }

  /** Takes an operator if it is there. */
  accept(operator: string): boolean {
    if (!this.isOperator(operator)) return false;
    this.take();
    return true;
  }

  expect(operator: string): void {
    if (!this.accept(operator)) this.syntaxError();
  }

  /** A place to come back to. */
  mark(): number {
    return this.position;
  }

  back(mark: number): void {
    this.position = mark;
    this.current = undefined;
  }

  /** The text from where the next token would be looked for. */
  get rest(): string {
    return this.text.slice(this.position);
  }

  /** Goes on after so many characters. */
  skip(characters: number): void {
    this.back(this.position + characters);
  }

  syntaxError(): never {
    const { token } = this;
    return fail(`A syntax error in expression, near \`${this.text.slice(token.at)}'.`);
  }
}
