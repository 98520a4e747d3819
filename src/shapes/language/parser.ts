/**
 * Statements of `.shape` files (docs/shapes.md has the grammar; Figure 5 of the paper is a part of it). A mistake gives
 * up one statement: the next `;` begins another one, so that a file with three mistakes shows all three.
 */
import { Cursor } from '../../rules/language/cursor.js';
import { RuleSyntaxError, type RuleProblem } from '../../rules/language/problems.js';
import type { Token } from '../../rules/language/tokens.js';
import type { Declaration, Expression, Item, PointPlace, ShapeFile, ShapePlace } from './ast.js';
import { ExpressionParser, integer } from './expressionParser.js';
import { tokenize } from './tokens.js';

/** Words that begin statements or parts of them: no variable has these names. */
const RESERVED: ReadonlySet<string> = new Set([
  'FIELD', 'EDGE', 'ARRAY', 'TYPE', 'EMBED', 'TAG', 'AT', 'ROOT', 'CONSTANT', 'ALLOCATOR', 'C-POINT', 'and', 'or', 'not', 'AND', 'OR', 'NOT', 'for', 'in', 'to', 'some',
  'NULL', 'nullptr', 'true', 'false', 'TRUE', 'FALSE', 'message', 'container_of', 'at', 'include', 'NAME',
]);
const STRUCTURE_WORDS = ['FIELD', 'EDGE', 'EMBED', 'TAG', 'AT', 'NAME'];

export interface ParsedShapes {
  readonly file: ShapeFile;
  readonly problems: readonly RuleProblem[];
}

export function parseShapes(text: string, file: string): ParsedShapes {
  const items: Item[] = [];
  const problems: RuleProblem[] = [];
  const attempt = (parse: () => void): boolean => {
    try {
      parse();
      return true;
    } catch (error) {
      if (!(error instanceof RuleSyntaxError)) throw error;
      problems.push(error.problem);
      return false;
    }
  };
  attempt(() => {
    const parser = new Parser(tokenize(text, file));
    while (!parser.atEnd()) if (!attempt(() => items.push(...parser.statement()))) parser.skipStatement();
  });
  return { file: { file, items }, problems };
}

/** The value of `{X.key}` in a message. */
export function parseValue(text: string, place: ShapePlace, variables: ReadonlySet<string>): Expression {
  const tokens = tokenize(text, place.file).map((token) => ({ ...token, place }));
  const cursor = new Cursor(tokens);
  const value = new ExpressionParser(cursor, (name) => variables.has(name)).expression();
  if (cursor.token.kind !== 'end') cursor.fail("'}'");
  return value;
}

class Parser {
  private readonly cursor: Cursor;
  private readonly expressions: ExpressionParser;
  private readonly roots: ReadonlySet<string>;
  private variables = new Set<string>();
  private constraints = 0;

  constructor(tokens: readonly Token[]) {
    this.cursor = new Cursor(tokens);
    this.roots = new Set(tokens.filter((token, i) => token.kind === 'name' && tokens[i - 1]?.text === 'ROOT').map(({ text }) => text));
    this.expressions = new ExpressionParser(this.cursor, (name) => this.variables.has(name) || this.roots.has(name));
  }

  atEnd(): boolean {
    return this.cursor.token.kind === 'end';
  }

  skipStatement(): void {
    while (!this.atEnd() && !this.cursor.accept(';')) this.cursor.take();
  }

  statement(): Item[] {
    const { cursor } = this;
    this.variables = new Set();
    const { token } = cursor;
    if (cursor.accept(';')) return [];
    switch (token.kind === 'name' ? token.text : '') {
      case 'ARRAY':
        return [this.closed({ kind: 'array', place: cursor.take().place, type: this.typeName() })];
      case 'include':
        return [this.closed({ kind: 'include', place: cursor.take().place, path: cursor.expectString('the name of a file, in quotes').text })];
      case 'TYPE':
        return [this.type(cursor.take().place)];
      case 'ROOT':
        return [this.closed({ kind: 'root', place: cursor.take().place, name: cursor.expectName('the name of a variable of the program').text })];
      case 'CONSTANT':
        return [this.constant(cursor.take().place)];
      case 'ALLOCATOR':
        return [this.closed({ kind: 'allocator', place: cursor.take().place, name: this.functionName() })];
      case 'C-POINT':
        return this.points(cursor.take().place);
      default:
        return [this.declared(token)];
    }
  }

  private declared(token: Token): Item {
    const { cursor } = this;
    if (token.kind === 'name') {
      const next = cursor.peek(1);
      if (STRUCTURE_WORDS.includes(next.text) && next.kind === 'name') return this.structure();
      const after = cursor.peek(3);
      if (next.text === '.' && cursor.peek(2).kind === 'name' && (after.text === ';' || after.text === '=') && !this.roots.has(token.text)) return this.attribute();
    }
    return this.constraint();
  }

  private closed(item: Item): Item {
    this.cursor.expect(';', 'every statement ends with ;');
    return item;
  }

  private typeName(): string {
    const { cursor } = this;
    if (RESERVED.has(cursor.token.text)) cursor.fail('the name of a type');
    return cursor.expectName('the name of a type').text;
  }

  private functionName(): string {
    const { cursor } = this;
    return cursor.token.kind === 'string' ? cursor.take().text : cursor.expectName('the name of a function').text;
  }

  private number(what: string): number {
    const { cursor } = this;
    if (cursor.token.kind !== 'number') return cursor.fail(what);
    const value = integer(cursor.token.text);
    if (typeof value === 'bigint') return cursor.failAt(cursor.token.place, 'this number is too large');
    cursor.take();
    return value;
  }

  private type(place: ShapePlace): Item {
    const type = this.typeName();
    this.cursor.expect('=', 'it is written TYPE node = "struct entry";');
    return this.closed({ kind: 'type', place, type, program: this.cursor.expectString("the program's name of the type, in quotes").text });
  }

  private constant(place: ShapePlace): Item {
    const name = this.cursor.expectName('the name of a constant').text;
    this.cursor.expect('=', 'it is written CONSTANT BLACK = 1;');
    const sign = this.cursor.accept('-') ? -1n : 1n;
    if (this.cursor.token.kind !== 'number') this.cursor.fail('a number');
    const value = integer(String(sign * BigInt(this.cursor.take().text)));
    return this.closed({ kind: 'constant', place, name, value });
  }

  private structure(): Item {
    const { cursor } = this;
    const { place } = cursor.token;
    const type = this.typeName();
    if (cursor.accept('EMBED')) return this.closed({ kind: 'embed', place, type, members: this.members() });
    if (cursor.accept('AT')) return this.closed({ kind: 'site', place, type, site: cursor.expectString('a place like "tree.c:19"').text });
    if (cursor.accept('NAME')) return this.closed({ kind: 'names', place, type, names: this.aliases() });
    if (cursor.accept('TAG')) return this.tag(place, type);
    const fields = cursor.accept('FIELD') ? this.number('the number of fields') : undefined;
    const edges = cursor.accept('EDGE') ? this.edges() : undefined;
    return this.closed({ kind: 'structure', place, type, ...(fields !== undefined && { fields }), ...(edges !== undefined && { edges }) });
  }

  private aliases(): [string, string][] {
    const names: [string, string][] = [];
    do {
      const ours = this.expressions.fieldName();
      this.cursor.expect('=', 'it is written node NAME next = fwd;');
      names.push([ours, this.expressions.fieldName()]);
    } while (this.cursor.accept(','));
    return names;
  }

  private tag(place: ShapePlace, type: string): Item {
    const member = this.expressions.fieldName();
    if (this.cursor.token.kind !== 'number') this.cursor.fail('the bits that are no part of the address, like 3');
    return this.closed({ kind: 'tag', place, type, member, mask: integer(this.cursor.take().text) });
  }

  private edges(): number | string[] {
    return this.cursor.token.kind === 'number' && this.cursor.peek(1).text === ';' ? this.number('a number') : this.members();
  }

  private members(): string[] {
    const names = [this.expressions.fieldName()];
    while (this.cursor.accept(',')) names.push(this.expressions.fieldName());
    return names;
  }

  private points(place: ShapePlace): Item[] {
    const { cursor } = this;
    const types: string[] = [];
    if (cursor.accept('(')) {
      do types.push(this.typeName());
      while (cursor.accept(','));
      cursor.expect(')');
    }
    const points = this.pointPlaces();
    cursor.expect(';', 'every statement ends with ;');
    return points.map((point) => ({ kind: 'point', place, types, point }));
  }

  private pointPlaces(): PointPlace[] {
    const { cursor } = this;
    for (const kind of ['end', 'crash'] as const) if (cursor.accept(kind)) return [{ kind }];
    for (const kind of ['entry', 'exit'] as const) if (cursor.accept(kind)) return [{ kind, function: this.functionName() }];
    if (cursor.accept('every')) return [{ kind: 'every', operations: this.number('a number of operations') }];
    if (cursor.accept('line') || (cursor.token.kind === 'string' && /:\d+$/.test(cursor.token.text))) return [this.line()];
    if (cursor.token.kind !== 'name' && cursor.token.kind !== 'string') cursor.fail('entry, exit, line, every, end, crash or the name of a function');
    const name = this.functionName();
    return [{ kind: 'entry', function: name }, { kind: 'exit', function: name }];
  }

  private line(): PointPlace {
    const { place } = this.cursor.token;
    const { text } = this.cursor.expectString('a place like "tree.c:19"');
    const found = /^(.+):(\d+)$/.exec(text);
    if (found === null) return this.cursor.failAt(place, `found ${JSON.stringify(text)}, expected a file and a line, like "tree.c:19"`);
    return { kind: 'line', file: found[1]!, line: Number(found[2]) };
  }

  private attribute(): Item {
    const { cursor } = this;
    const { place } = cursor.token;
    const type = this.typeName();
    cursor.expect('.');
    const name = cursor.expectName('the name of an attribute').text;
    const ofNull = cursor.accept('=') ? (cursor.accept('-') ? -1 : 1) * this.number('what NULL has') : undefined;
    cursor.expect(';');
    const [declaration] = this.declarations();
    if (declaration === undefined) return cursor.fail(`a variable: ${type} X;`);
    const rule = this.rule(declaration.name, name);
    return this.closed({ kind: 'attribute', place, type, name, ...(ofNull !== undefined && { ofNull }), variable: declaration.name, ...rule });
  }

  private rule(variable: string, name: string): { guard?: Expression; terminal?: Expression; otherwise: Expression } {
    this.expressions.barsMeanOr = false;
    try {
      if (this.isAssignment()) return { otherwise: this.assignment(variable, name) };
      const guard = this.expressions.expression();
      this.cursor.expect('=>', `a rule is written guard => ${variable}.${name} = value || ${variable}.${name} = value;`);
      const terminal = this.assignment(variable, name);
      this.cursor.expect('||', 'what follows || is the value where the guard does not hold');
      return { guard, terminal, otherwise: this.assignment(variable, name) };
    } finally {
      this.expressions.barsMeanOr = true;
    }
  }

  private isAssignment(): boolean {
    return this.cursor.peek(1).text === '.' && this.cursor.peek(3).text === '=';
  }

  private assignment(variable: string, name: string): Expression {
    const wanted = `${variable}.${name} = `;
    const { cursor } = this;
    if (!cursor.isWord(variable) || cursor.peek(2).text !== name) cursor.fail(`'${wanted}'`);
    for (let i = 0; i < 3; i++) cursor.take();
    cursor.expect('=', 'a value is assigned with one =');
    return this.expressions.expression();
  }

  private declarations(): Declaration[] {
    const found: Declaration[] = [];
    const { cursor } = this;
    for (;;) {
      this.label();
      const some = cursor.isWord('some');
      if (!some && !(cursor.token.kind === 'name' && cursor.peek(1).kind === 'name' && !RESERVED.has(cursor.token.text) && !RESERVED.has(cursor.peek(1).text))) return found;
      const { place } = cursor.token;
      if (some) cursor.take();
      const type = this.typeName();
      if (RESERVED.has(cursor.token.text)) cursor.fail('the name of a variable');
      const name = cursor.expectName('the name of a variable').text;
      if (this.variables.has(name)) cursor.failAt(cursor.previous.place, `${name} is declared twice in this constraint`);
      this.variables.add(name);
      found.push({ type, name, some, place });
      cursor.expect(';', 'a variable is declared with its type: node X;');
    }
  }

  private named: string | undefined;

  /** `[ordered]`, the paper's `..(c1)`, and the numbers of its lists, `1.`. */
  private label(): void {
    const { cursor } = this;
    for (;;) {
      if (cursor.isSymbol('..') || cursor.isSymbol('...')) this.dotted();
      else if (cursor.token.kind === 'number' && cursor.peek(1).text === '.' && cursor.peek(2).kind === 'name') {
        this.named ??= cursor.take().text;
        cursor.take();
      } else if (cursor.isSymbol('[')) {
        cursor.take();
        this.named = this.labelName();
        cursor.expect(']');
      } else return;
    }
  }

  private dotted(): void {
    while (['.', '..', '...'].some((dots) => this.cursor.accept(dots)));
    if (!this.cursor.accept('(')) return;
    this.named = this.labelName();
    this.cursor.expect(')');
  }

  private labelName(): string {
    let name = this.cursor.expectName('the name of the constraint').text;
    while (!this.atEnd() && !this.cursor.isSymbol(']') && !this.cursor.isSymbol(')') && this.cursor.token.joined) name += this.cursor.take().text;
    return name;
  }

  private constraint(): Item {
    const { cursor } = this;
    const { place } = cursor.token;
    this.constraints++;
    this.named = undefined;
    const variables = this.declarations();
    const range = cursor.accept('for') ? this.range() : undefined;
    const first = this.expressions.expression();
    const body = cursor.accept('=>') ? this.expressions.expression() : undefined;
    this.label();
    const message = cursor.accept('message') ? cursor.expectString('what is wrong, in quotes').text : undefined;
    if (cursor.isSymbol('=')) cursor.fail("';'", 'equality is written ==');
    if (!cursor.isSymbol(';')) cursor.fail(body === undefined ? "'and', 'or', '=>' or ';'" : "'and', 'or' or ';'");
    const end = cursor.take().place;
    const name = this.named === undefined ? `c${this.constraints}` : /^\d+$/.test(this.named) ? `c${this.named}` : this.named;
    return {
      kind: 'constraint', place, name, isNamed: this.named !== undefined, ...(message !== undefined && { message }), variables, ...(range !== undefined && { range }),
      ...(body === undefined ? { body: first } : { guard: first, body }), end,
    };
  }

  private range(): { variable: string; from: Expression; to: Expression } {
    const { cursor } = this;
    const variable = cursor.expectName('the name of an index', 'a range is written for I in 0 to 8, X[I] < X[I + 1];').text;
    this.variables.add(variable);
    cursor.expect('in');
    const from = this.expressions.expression();
    cursor.expect('to');
    const to = this.expressions.expression();
    cursor.expect(',', 'a comma ends the range');
    return { variable, from, to };
  }
}
