/**
 * Conditions and values. Precedence from loose to tight:
 *
 *     ||   &&   == != < <= > >= in   |   ^   &   << >>   + -   * / %   ! - ~
 *
 * Bit operations bind tighter than comparisons, unlike C's: `bid & 0x1 == 1` of Figure 6 means what it says. What
 * follows `suchthat` reaches as far as it can, as the scope of a quantifier does in logic.
 */
import { EVENT_KINDS, STATES, type BinaryOperator, type Binder, type EventKind, type EventPattern, type Expression, type StateName } from './ast.js';
import type { Cursor } from './cursor.js';
import { nearest, type RulePlace } from './problems.js';

const COMPARISONS = ['==', '!=', '<=', '>=', '<', '>'] as const;
const LEVELS: readonly (readonly BinaryOperator[])[] = [['|'], ['^'], ['&'], ['<<', '>>'], ['+', '-'], ['*', '/', '%']];

/** Words that cannot be variables. */
export const RESERVED: ReadonlySet<string> = new Set<string>([
  ...STATES, 'define', 'functions', 'detect', 'exists', 'forall', 'in', 'suchthat', 'event', 'NULL', 'true', 'false', 'VPC', 'FindLast',
]);

/** Deeper than anyone writes, and far from the end of our own stack. */
const DEEPEST = 200;

export class ExpressionParser {
  private depth = 0;

  constructor(private readonly cursor: Cursor) {}

  expression(): Expression {
    return this.nested(() => this.logical('||', () => this.logical('&&', () => this.comparison())));
  }

  private nested(parse: () => Expression): Expression {
    if (this.depth >= DEEPEST) this.cursor.failAt(this.cursor.token.place, 'this is nested too deeply', 'give parts of it names with define');
    this.depth++;
    try {
      return parse();
    } finally {
      this.depth--;
    }
  }

  private logical(operator: '||' | '&&', operand: () => Expression): Expression {
    let left = operand();
    while (this.cursor.isSymbol(operator)) {
      const { place } = this.cursor.take();
      left = { kind: 'binary', operator, left, right: operand(), place };
    }
    return left;
  }

  private comparison(): Expression {
    const left = this.arithmetic(0);
    const { cursor } = this;
    if (cursor.isSymbol('=')) cursor.fail("'=='", 'equality is written ==');
    if (cursor.isWord('in')) {
      const { place } = cursor.take();
      return { kind: 'member', element: left, state: this.state('H', 'F', 'S', 'G'), place };
    }
    const operator = COMPARISONS.find((candidate) => cursor.isSymbol(candidate));
    if (operator === undefined) return left;
    const { place } = cursor.take();
    const compared: Expression = { kind: 'binary', operator, left, right: this.arithmetic(0), place };
    if (COMPARISONS.some((candidate) => cursor.isSymbol(candidate))) cursor.fail("'&&', '||' or the end of the condition", 'comparisons do not chain: write a < b && b < c');
    return compared;
  }

  private arithmetic(level: number): Expression {
    const operators = LEVELS[level];
    if (operators === undefined) return this.unary();
    let left = this.arithmetic(level + 1);
    for (;;) {
      const operator = operators.find((candidate) => this.cursor.isSymbol(candidate));
      if (operator === undefined) return left;
      const { place } = this.cursor.take();
      left = { kind: 'binary', operator, left, right: this.arithmetic(level + 1), place };
    }
  }

  private unary(): Expression {
    const operator = (['!', '-', '~'] as const).find((candidate) => this.cursor.isSymbol(candidate));
    if (operator === undefined) return this.primary();
    const { place } = this.cursor.take();
    return { kind: 'unary', operator, operand: this.nested(() => this.unary()), place };
  }

  private primary(): Expression {
    const { cursor } = this;
    const { token } = cursor;
    const { place } = token;
    if (token.kind === 'number') return { kind: 'number', value: BigInt(cursor.take().text), text: token.text, place };
    if (token.kind === 'string') return { kind: 'text', text: cursor.take().text, place };
    if (cursor.accept('(')) return this.closed(this.expression());
    if (cursor.isSymbol('.') || cursor.isWord('_')) cursor.fail('a value', 'a wildcard stands only where something is matched: in event(…), FindLast(…) and arguments of a definition');
    if (token.kind !== 'name') return cursor.fail('a condition or a value');
    return this.named(place);
  }

  private closed(inner: Expression): Expression {
    this.cursor.expect(')', 'a parenthesis is still open');
    return inner;
  }

  private named(place: RulePlace): Expression {
    const { cursor } = this;
    const word = cursor.take().text;
    switch (word) {
      case 'NULL':
        return { kind: 'null', place };
      case 'true':
      case 'false':
        return { kind: 'boolean', value: word === 'true', place };
      case 'exists':
      case 'forall':
        return this.quantified(word, place);
      case 'FindLast':
        return { kind: 'findLast', pattern: this.eventPattern(place), place };
      case 'VPC':
        return cursor.failAt(place, "found VPC, expected a condition or a value", 'chains are listed after the condition: … : VPC(r)');
      default:
    }
    if (RESERVED.has(word)) return cursor.failAt(place, `found '${word}', expected a condition or a value`, reservedHint(word));
    if (cursor.isSymbol('(')) return { kind: 'apply', name: word, args: this.args(), place };
    return { kind: 'name', name: word, fresh: false, place };
  }

  /** In parentheses, separated by commas; any of them may be a wildcard. */
  args(): Expression[] {
    const { cursor } = this;
    cursor.expect('(');
    const args: Expression[] = [];
    if (cursor.accept(')')) return args;
    do args.push(this.term());
    while (cursor.accept(','));
    cursor.expect(')', 'arguments are separated by commas');
    return args;
  }

  /** A value, a wildcard, or `?f` for a variable that is to be bound. */
  private term(): Expression {
    const { cursor } = this;
    const { place } = cursor.token;
    // The paper's figures also print a dash where anything will do.
    const dash = cursor.isSymbol('-') && [',', ')'].includes(cursor.peek(1).text);
    if (cursor.accept('.') || cursor.accept('_') || (dash && cursor.accept('-'))) return { kind: 'wildcard', place };
    if (cursor.accept('?')) return { kind: 'name', name: cursor.expectName('the name of a variable').text, fresh: true, place };
    return this.expression();
  }

  private quantified(quantifier: 'exists' | 'forall', place: RulePlace): Expression {
    const binder = this.binder();
    const condition = this.cursor.accept('suchthat') ? this.expression() : undefined;
    return { kind: 'quantified', quantifier, binder, ...(condition !== undefined && { condition }), place };
  }

  private binder(): Binder {
    const { cursor } = this;
    const { place } = cursor.token;
    if (cursor.isWord('event')) {
      cursor.take();
      const pattern = this.eventPattern(place);
      this.expectIn(['Trace']);
      return { kind: 'event', pattern, place };
    }
    if (cursor.isWord('frame') && cursor.peek(1).text === '(') {
      cursor.take();
      const fields = this.args();
      this.expectIn(['S']);
      return { kind: 'frame', fields, place };
    }
    return this.elementBinder(place);
  }

  /** `bid in H`, or `r -> (bid, i) in P`. */
  private elementBinder(place: RulePlace): Binder {
    const { cursor } = this;
    const first = this.boundName();
    if (cursor.accept('->')) {
      cursor.expect('(', 'entries of P are written r -> (bid, i)');
      const block = this.term();
      cursor.expect(',');
      const index = this.term();
      cursor.expect(')');
      this.expectIn(['P']);
      return { kind: 'pointer', pointer: first, block, index, place };
    }
    return { kind: 'block', block: first, state: this.expectIn(['H', 'F', 'S', 'G']), place };
  }

  private boundName(): Expression {
    const { cursor } = this;
    const { place } = cursor.token;
    if (cursor.accept('.') || cursor.accept('_')) return { kind: 'wildcard', place };
    const name = cursor.expectName("event(…), a variable, or r -> (bid, i)", 'for example: exists event(., free, r1, bid) in Trace suchthat (bid == Bid(r))');
    return { kind: 'name', name: name.text, fresh: false, place };
  }

  private expectIn<S extends StateName>(states: readonly S[]): S {
    this.cursor.expect('in', `what is quantified over comes after 'in': in ${states.join(', in ')}`);
    return this.state(...states);
  }

  private state<S extends StateName>(...states: readonly S[]): S {
    const found = states.find((state) => this.cursor.isWord(state));
    if (found === undefined) return this.cursor.fail(states.length === 1 ? states[0]! : `one of ${states.join(', ')}`);
    this.cursor.take();
    return found;
  }

  private eventPattern(place: RulePlace): EventPattern {
    const { cursor } = this;
    cursor.expect('(', 'an event is written (time, kind, …)');
    const time = this.term();
    cursor.expect(',', 'an event is written (time, kind, …)');
    const event = this.eventKind();
    const fields: Expression[] = [];
    while (cursor.accept(',')) fields.push(this.term());
    cursor.expect(')');
    return { time, event, fields, place };
  }

  private eventKind(): EventKind {
    const { token } = this.cursor;
    const kind = EVENT_KINDS.find((candidate) => candidate === token.text);
    if (kind !== undefined) {
      this.cursor.take();
      return kind;
    }
    const meant = nearest(token.text, EVENT_KINDS);
    return this.cursor.fail(`a kind of event (${EVENT_KINDS.join(', ')})`, meant === undefined ? undefined : `did you mean ${meant}?`);
  }
}

function reservedHint(word: string): string | undefined {
  const state = STATES.find((candidate) => candidate === word);
  return state === undefined ? undefined : `${state} is a part of the state: quantify over it (exists … in ${state}) or test it (Bid(r) in ${state})`;
}
