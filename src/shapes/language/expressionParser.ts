/**
 * Conditions and values. Precedence from loose to tight:
 *
 *     or ||   and &&   not !   == != < <= > >= -> /-> ->> /->>   << >>   + -   &   * / %   - & | |   . -> [ ]
 *
 * The arrow is an edge between two nodes (`X -> Y`) if a variable of the constraint follows it, and C's way to a member
 * (`X.left->key`) otherwise. That is why the parser knows the variables.
 */
import type { Cursor } from '../../rules/language/cursor.js';
import type { Arithmetic, Comparison, Expression, MemberName, ShapePlace } from './ast.js';

const COMPARISONS: readonly Comparison[] = ['==', '!=', '<=', '>=', '<', '>'];
const CONNECTIONS: Readonly<Record<string, { path: boolean; negated: boolean }>> = {
  '->': { path: false, negated: false },
  '/->': { path: false, negated: true },
  '->>': { path: true, negated: false },
  '/->>': { path: true, negated: true },
};
const LEVELS: readonly (readonly Arithmetic[])[] = [['<<', '>>'], ['+', '-'], ['&'], ['*', '/', '%']];
/** Deeper than anyone writes, and far from the end of our own stack. */
const DEEPEST = 200;

export class ExpressionParser {
  private depth = 0;
  /** `||` separates the two rules of an attribute: it is no `or` there. */
  barsMeanOr = true;

  constructor(
    private readonly cursor: Cursor,
    private readonly isVariable: (name: string) => boolean,
  ) {}

  expression(): Expression {
    return this.nested(() => this.choice());
  }

  private nested(parse: () => Expression): Expression {
    if (this.depth >= DEEPEST) this.cursor.failAt(this.cursor.token.place, 'this is nested too deeply');
    this.depth++;
    try {
      return parse();
    } finally {
      this.depth--;
    }
  }

  private choice(): Expression {
    const test = this.either();
    if (!this.cursor.isSymbol('?')) return test;
    const { place } = this.cursor.take();
    const yes = this.expression();
    this.cursor.expect(':', 'a choice is written test ? value : value');
    return { kind: 'choose', test, yes, no: this.expression(), place };
  }

  private either(): Expression {
    let left = this.both();
    while (this.isWord('or') || (this.barsMeanOr && this.cursor.isSymbol('||'))) {
      const { place } = this.cursor.take();
      left = { kind: 'or', left, right: this.both(), place };
    }
    return left;
  }

  private both(): Expression {
    let left = this.comparison();
    while (this.isWord('and') || this.cursor.isSymbol('&&')) {
      const { place } = this.cursor.take();
      left = { kind: 'and', left, right: this.comparison(), place };
    }
    return left;
  }

  private isWord(word: string): boolean {
    return this.cursor.isWord(word) || this.cursor.isWord(word.toUpperCase());
  }

  private comparison(): Expression {
    const { cursor } = this;
    if (this.isWord('not') || cursor.isSymbol('!')) {
      const { place } = cursor.take();
      return { kind: 'not', of: this.nested(() => this.comparison()), place };
    }
    const left = this.arithmetic(0);
    const connection = cursor.token.kind === 'symbol' ? CONNECTIONS[cursor.token.text] : undefined;
    if (connection !== undefined) return this.connection(left, connection);
    const operator = COMPARISONS.find((candidate) => cursor.isSymbol(candidate));
    if (operator === undefined) return left;
    const { place } = cursor.take();
    const compared: Expression = { kind: 'compare', operator, left, right: this.arithmetic(0), place };
    if (COMPARISONS.some((candidate) => cursor.isSymbol(candidate))) cursor.fail("'and', 'or', '=>' or ';'", 'comparisons do not chain: write a < b and b < c');
    return compared;
  }

  private connection(from: Expression, { path, negated }: { path: boolean; negated: boolean }): Expression {
    const { place } = this.cursor.take();
    const through = this.cursor.accept('{') ? this.fieldList('}') : undefined;
    return { kind: 'connect', from, to: this.arithmetic(0), path, negated, ...(through !== undefined && { through }), place };
  }

  /** Names as C writes them, `left`, `link.next`, `child[2]`, or numbers; up to the closing sign. */
  private fieldList(close: string): string[] {
    const names = [this.fieldName()];
    while (this.cursor.accept(',')) names.push(this.fieldName());
    this.cursor.expect(close);
    return names;
  }

  fieldName(): string {
    const { cursor } = this;
    if (cursor.token.kind === 'number') return cursor.take().text;
    let name = cursor.expectName('the name or the number of a field').text;
    for (;;) {
      if (cursor.accept('.')) name += `.${cursor.expectName('the name of a member').text}`;
      else if (cursor.isSymbol('[') && cursor.peek(1).kind === 'number') {
        cursor.take();
        name += `[${cursor.take().text}]`;
        cursor.expect(']');
      } else return name;
    }
  }

  private arithmetic(level: number): Expression {
    const operators = LEVELS[level];
    if (operators === undefined) return this.unary();
    let left = this.arithmetic(level + 1);
    for (;;) {
      const operator = operators.find((candidate) => this.cursor.isSymbol(candidate));
      if (operator === undefined) return left;
      const { place } = this.cursor.take();
      left = { kind: 'arithmetic', operator, left, right: this.arithmetic(level + 1), place };
    }
  }

  private unary(): Expression {
    const { cursor } = this;
    const { place } = cursor.token;
    if (cursor.accept('-')) return { kind: 'negative', of: this.nested(() => this.unary()), place };
    if (cursor.accept('&')) return { kind: 'address', of: this.nested(() => this.unary()), place };
    return this.postfix(this.primary());
  }

  private primary(): Expression {
    const { cursor } = this;
    const { token } = cursor;
    const { place } = token;
    if (token.kind === 'number') return { kind: 'number', value: integer(cursor.take().text), place };
    if (token.kind === 'string') return { kind: 'text', text: cursor.take().text, place };
    if (cursor.accept('(')) return this.closed(this.withBars(() => this.expression()), ')');
    if (cursor.accept('|')) return { kind: 'absolute', of: this.closed(this.withBars(() => this.nested(() => this.arithmetic(0))), '|'), place };
    if (token.kind !== 'name') return cursor.fail('a node, a value or a condition');
    const name = cursor.take().text;
    if (name === 'NULL' || name === 'nullptr') return { kind: 'null', place };
    if (/^(true|false)$/i.test(name)) return { kind: 'boolean', value: name.toLowerCase() === 'true', place };
    if (cursor.isSymbol('(') && !this.isVariable(name)) return this.call(name, place);
    return { kind: 'name', name, place };
  }

  private withBars(parse: () => Expression): Expression {
    const before = this.barsMeanOr;
    this.barsMeanOr = true;
    try {
      return parse();
    } finally {
      this.barsMeanOr = before;
    }
  }

  private closed(inner: Expression, close: string): Expression {
    this.cursor.expect(close, close === ')' ? 'a parenthesis is still open' : 'a value between bars, |a - b|, is still open');
    return inner;
  }

  private call(name: string, place: ShapePlace): Expression {
    const { cursor } = this;
    cursor.take();
    if (name === 'container_of') return this.container(place);
    if (name === 'at') return this.at(place);
    const of: Expression[] = [];
    if (!cursor.isSymbol(')')) {
      do of.push(this.expression());
      while (cursor.accept(','));
    }
    cursor.expect(')', 'the arguments are not closed yet');
    return { kind: 'call', name, of, place };
  }

  private at(place: ShapePlace): Expression {
    const { cursor } = this;
    const type = cursor.expectName('the name of a type', 'it is written at(type, address)').text;
    cursor.expect(',', 'it is written at(type, address)');
    const address = this.expression();
    cursor.expect(')');
    return { kind: 'at', type, address, place };
  }

  private container(place: ShapePlace): Expression {
    const { cursor } = this;
    const pointer = this.expression();
    cursor.expect(',', 'it is written container_of(pointer, type, member)');
    const type = cursor.expectName('the name of a type').text;
    cursor.expect(',', 'it is written container_of(pointer, type, member)');
    const member = this.fieldName();
    cursor.expect(')');
    return { kind: 'container', pointer, type, member, place };
  }

  private postfix(start: Expression): Expression {
    const { cursor } = this;
    let base = start;
    for (let steps = 0; ; steps++) {
      if (steps > DEEPEST) cursor.failAt(cursor.token.place, 'this is nested too deeply');
      const { place } = cursor.token;
      if (cursor.accept('.')) base = this.afterDot(base, place);
      else if (this.isMemberArrow()) {
        cursor.take();
        base = { ...this.member(base, place), arrow: true };
      } else if (cursor.accept('[')) base = { kind: 'index', base, index: this.closed(this.expression(), ']'), place };
      else return base;
    }
  }

  private isMemberArrow(): boolean {
    const next = this.cursor.peek(1);
    return this.cursor.isSymbol('->') && next.kind === 'name' && !this.isVariable(next.text) && next.text !== 'container_of' && next.text !== 'at';
  }

  /** `.name`, and the paper's `.(1)` and `.[1]`. */
  private afterDot(base: Expression, place: ShapePlace): Expression {
    const { cursor } = this;
    if (cursor.accept('(')) return { kind: 'index', base, index: this.closed(this.expression(), ')'), place };
    if (cursor.accept('[')) return { kind: 'index', base, index: this.closed(this.expression(), ']'), place };
    return this.member(base, place);
  }

  private member(base: Expression, place: ShapePlace): Expression & { kind: 'member' } {
    const { cursor } = this;
    const name = cursor.expectName('the name of a field or an attribute', 'fields by number are written X[2]').text;
    if (!name.endsWith('DEGREE') || !cursor.accept('(')) return { kind: 'member', base, name, place };
    const of: MemberName[] = [];
    do {
      const type = cursor.expectName('the name of a type').text;
      of.push(cursor.accept('.') ? { type, member: this.fieldName() } : { type });
    } while (cursor.accept(','));
    cursor.expect(')');
    return { kind: 'member', base, name, of, place };
  }
}

export function integer(text: string): number | bigint {
  const value = BigInt(text);
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}
