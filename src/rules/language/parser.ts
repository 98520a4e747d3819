/**
 * Rule files: definitions, sets of functions, includes, and rules
 *
 *     [double.free] detect <Trace; free r>: Allocated(r) && Freed(r, r1) :VPC(r), VPC(r1)
 *       message "…"  severity error
 *
 * After a mistake it goes on with the next item, so that all of them are shown at once.
 */
import {
  SEVERITIES, STATES, USES,
  type DefineItem, type FunctionsItem, type IncludeItem, type Item, type Locator, type Message, type Point, type PointKind, type RuleFile, type RuleItem,
  type Severity, type StateName, type Variable,
} from './ast.js';
import { Cursor } from './cursor.js';
import { ExpressionParser, RESERVED } from './expressionParser.js';
import { parseMessage } from './messageParser.js';
import { nearest, RuleSyntaxError, type RulePlace, type RuleProblem } from './problems.js';
import { tokenize, type Token } from './tokens.js';

interface Parsed {
  readonly file: RuleFile;
  readonly problems: readonly RuleProblem[];
}

const POINTS: readonly PointKind[] = ['deref_r', 'deref_w', 'deref', 'free', 'call', 'ret', 'use', 'exit'];
const CLAUSES = ['message', 'severity', 'help', 'default'];

export function parseRules(text: string, path: string): Parsed {
  const problems: RuleProblem[] = [];
  const items: Item[] = [];
  const keep = (error: unknown) => {
    if (!(error instanceof RuleSyntaxError)) throw error;
    problems.push(error.problem);
  };
  try {
    const parser = new Parser(new Cursor(tokenize(text, path)));
    while (!parser.atEnd) {
      try {
        items.push(parser.item());
      } catch (error) {
        keep(error);
        parser.recover();
      }
    }
  } catch (error) {
    keep(error);
  }
  return { file: { path, items }, problems };
}

function beginsItem(token: Token): boolean {
  return token.kind === 'include' || token.text === 'define' || token.text === 'functions' || (token.kind === 'symbol' && token.text === '[' && token.place.column === 1);
}

class Parser {
  private readonly expressions: ExpressionParser;

  constructor(private readonly cursor: Cursor) {
    this.expressions = new ExpressionParser(cursor);
  }

  get atEnd(): boolean {
    return this.cursor.token.kind === 'end';
  }

  recover(): void {
    if (!this.atEnd) this.cursor.skipToItem(beginsItem);
  }

  item(): Item {
    const { cursor } = this;
    const { place, kind, text } = cursor.token;
    if (kind === 'include') return this.include(place);
    if (cursor.isWord('define')) return this.define();
    if (cursor.isWord('functions')) return this.functions(place);
    if (cursor.isSymbol('[')) return this.rule(place);
    const meant = nearest(text, ['define', 'functions']);
    return cursor.fail("'define', 'functions', '#include' or a rule: [name] detect …", meant === undefined ? undefined : `did you mean ${meant}?`);
  }

  private include(place: RulePlace): IncludeItem {
    this.cursor.take();
    return { kind: 'include', path: this.cursor.expectString('the name of a file in quotes').text, place };
  }

  private define(): DefineItem {
    const { cursor } = this;
    cursor.take();
    const name = cursor.expectName('the name of the definition');
    if (RESERVED.has(name.text)) cursor.failAt(name.place, `${name.text} is a word of the language`, 'choose another name');
    const parameters = cursor.isSymbol('(') ? this.variables() : [];
    cursor.expect('=', 'define Name(r) = condition');
    return { kind: 'define', name: name.text, parameters, body: this.expressions.expression(), place: name.place };
  }

  private functions(place: RulePlace): FunctionsItem {
    const { cursor } = this;
    cursor.take();
    const name = cursor.expectName('the name of the set of functions').text;
    cursor.expect('=', 'functions Copies = memcpy, mempcpy');
    const members = [this.functionName()];
    while (cursor.accept(',')) members.push(this.functionName());
    return { kind: 'functions', name, members, place };
  }

  private functionName(): string {
    const { cursor } = this;
    if (cursor.token.kind === 'string') return cursor.take().text;
    return cursor.expectName('the name of a function', 'names that are not words are written in quotes: "operator delete"').text;
  }

  private rule(place: RulePlace): RuleItem {
    const { cursor } = this;
    const first = cursor.take().place.line;
    const name = this.ruleName();
    cursor.expect('detect', 'a rule is [name] detect <Trace; point>: condition : VPC(r)');
    const { states, points } = this.where();
    cursor.expect(':', 'the condition follows a colon');
    const condition = this.expressions.expression();
    const locators = cursor.accept(':') ? this.locators() : [];
    return { kind: 'rule', name, states, points, condition, locators, ...this.clauses(), place, lines: cursor.previous.place.line - first + 1 };
  }

  /** `double.free`, `leak-in-ts`: words with dots or dashes between them. */
  private ruleName(): string {
    const { cursor } = this;
    let name = cursor.expectName('the name of the rule').text;
    while (cursor.isSymbol('.') || cursor.isSymbol('-')) {
      name += cursor.take().text;
      if (cursor.token.kind !== 'name' && cursor.token.kind !== 'number') cursor.fail('the rest of the name of the rule');
      name += cursor.take().text;
    }
    cursor.expect(']', 'names of rules are words with dots or dashes between them');
    return name;
  }

  private where(): { states: StateName[]; points: Point[] } {
    const { cursor } = this;
    cursor.expect('<', 'detect is followed by <Trace; point>');
    const states: StateName[] = [];
    for (;;) {
      const state = STATES.find((candidate) => cursor.isWord(candidate));
      if (state === undefined) break;
      cursor.take();
      states.push(state);
      cursor.expect(';', 'states and the detection point are separated by semicolons');
    }
    const points = [this.point()];
    while (cursor.accept('|')) points.push(this.point());
    cursor.expect('>', 'detection points end with >');
    return { states, points };
  }

  private point(): Point {
    const { cursor } = this;
    const { place, text } = cursor.token;
    const kind = POINTS.find((candidate) => candidate === text);
    if (kind === undefined) {
      const meant = nearest(text, [...POINTS, ...STATES]);
      return cursor.fail(`a detection point (${POINTS.join(', ')})`, meant === undefined ? undefined : `did you mean ${meant}?`);
    }
    cursor.take();
    switch (kind) {
      case 'deref':
      case 'deref_r':
      case 'deref_w':
        return { kind, variables: this.pointVariables(',', 'the pointer: deref r, or deref r, n for the number of bytes as well'), place };
      case 'free':
        return { kind, variables: this.pointVariables('by', 'the pointer: free r, or free r by f for the function as well'), place };
      case 'use':
        return { kind, ...this.useKind(), variables: [this.variable('the value: use v')], place };
      case 'exit':
        return { kind, variables: this.atVariable() ? [this.variable('')] : [], place };
      default:
        return this.calleePoint(kind, place);
    }
  }

  private pointVariables(separator: string, expected: string): Variable[] {
    const variables = [this.variable(expected)];
    if (this.cursor.accept(separator)) variables.push(this.variable('a variable'));
    return variables;
  }

  private useKind(): { use?: Point['use'] & string } {
    const use = USES.find((candidate) => this.cursor.isWord(candidate));
    if (use === undefined) return {};
    this.cursor.take();
    return { use };
  }

  private calleePoint(kind: 'call' | 'ret', place: RulePlace): Point {
    const { cursor } = this;
    const calleePlace = cursor.token.place;
    const callee = cursor.accept('.') || cursor.accept('_') ? undefined : this.functionName();
    const variables = cursor.isSymbol('(') ? this.variables() : this.atVariable() ? [this.variable('')] : [];
    return { kind, ...(callee !== undefined && { callee }), calleePlace, variables, place };
  }

  private atVariable(): boolean {
    const { token } = this.cursor;
    return token.kind === 'name' || token.text === '.';
  }

  private variables(): Variable[] {
    const { cursor } = this;
    cursor.expect('(');
    const variables: Variable[] = [];
    if (cursor.accept(')')) return variables;
    do variables.push(this.variable('the name of a variable'));
    while (cursor.accept(','));
    cursor.expect(')', 'variables are separated by commas');
    return variables;
  }

  private variable(expected: string): Variable {
    const { cursor } = this;
    const { place, text } = cursor.token;
    if (cursor.accept('.') || cursor.accept('_')) return { name: undefined, place };
    if (RESERVED.has(text)) cursor.failAt(place, `${text} is a word of the language`, 'choose another name for the variable');
    return { name: cursor.expectName(expected).text, place };
  }

  private locators(): Locator[] {
    const { cursor } = this;
    const locators: Locator[] = [];
    if (!cursor.isWord('VPC')) {
      if (!this.atRuleEnd()) cursor.fail('VPC(…)', 'after the second colon come the chains to follow: VPC(r), VPC(r1)');
      return locators;
    }
    do {
      const { place } = cursor.expect('VPC', 'chains are written VPC(r)');
      cursor.expect('(');
      locators.push({ value: this.expressions.expression(), place });
      cursor.expect(')');
    } while (cursor.accept(','));
    return locators;
  }

  private atRuleEnd(): boolean {
    const { token } = this.cursor;
    return token.kind === 'end' || beginsItem(token) || CLAUSES.includes(token.text);
  }

  private clauses(): { message?: Message; help?: string; severity?: Severity; enabled?: boolean } {
    const { cursor } = this;
    const clauses: { message?: Message; help?: string; severity?: Severity; enabled?: boolean } = {};
    for (;;) {
      const { place } = cursor.token;
      if (cursor.accept('message')) clauses.message = parseMessage(this.texts('the message in quotes'), place);
      else if (cursor.accept('help')) clauses.help = this.texts('the text in quotes');
      else if (cursor.accept('severity')) clauses.severity = this.oneOf(SEVERITIES);
      else if (cursor.accept('default')) clauses.enabled = this.oneOf(['on', 'off'] as const) === 'on';
      else break;
    }
    if (!this.atRuleEnd() && !cursor.isSymbol('[')) cursor.fail(`an operator, ':' and VPC(…), a clause (${CLAUSES.join(', ')}) or the next rule`);
    return clauses;
  }

  /** Strings beside each other are one, as in C. */
  private texts(expected: string): string {
    let text = this.cursor.expectString(expected).text;
    while (this.cursor.token.kind === 'string') text += this.cursor.take().text;
    return text;
  }

  private oneOf<T extends string>(words: readonly T[]): T {
    const found = words.find((word) => this.cursor.isWord(word));
    if (found === undefined) return this.cursor.fail(words.join(' or '));
    this.cursor.take();
    return found;
  }
}
