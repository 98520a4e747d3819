/**
 * Random C sources whose structure is known, because they are made from it, and the rules of folding by their
 * definition (docs/paths.md): a second implementation, of which only the rules are the same. Nothing is parsed here.
 */
import fc from 'fast-check';

export type Statement =
  | { readonly kind: 'plain'; readonly lines: number }
  | { readonly kind: 'block'; readonly body: readonly Statement[] }
  | { readonly kind: 'for' | 'while' | 'do'; readonly braced: boolean; readonly guard: number; readonly body: readonly Statement[] }
  | { readonly kind: 'if'; readonly braced: boolean; readonly guard: number; readonly body: readonly Statement[]; readonly elses: readonly Branch[] }
  | { readonly kind: 'switch'; readonly cases: readonly (readonly Statement[])[] };

/** An `else`, or an `else if` with a guard. */
interface Branch {
  readonly isIf: boolean;
  readonly braced: boolean;
  readonly body: readonly Statement[];
}

export interface CStyle {
  /** Whether a brace is in a line of its own. */
  readonly isTall: boolean;
}

export interface RandomFunction {
  readonly headLines: number;
  readonly body: readonly Statement[];
}

const { statements } = fc.letrec<{ statement: Statement; statements: Statement[]; branch: Branch }>((tie) => ({
  statements: fc.array(tie('statement'), { minLength: 1, maxLength: 4, depthIdentifier: 'c' }),
  branch: fc.record({ isIf: fc.boolean(), braced: fc.boolean(), body: tie('statements') }),
  statement: fc.oneof(
    { depthIdentifier: 'c', depthSize: 'small', withCrossShrink: true },
    fc.record({ kind: fc.constant('plain' as const), lines: fc.integer({ min: 1, max: 2 }) }),
    fc.record({ kind: fc.constant('block' as const), body: tie('statements') }),
    fc.record({ kind: fc.constantFrom('for' as const, 'while' as const, 'do' as const), braced: fc.boolean(), guard: fc.integer({ min: 1, max: 2 }), body: tie('statements') }),
    fc.record({ kind: fc.constant('if' as const), braced: fc.boolean(), guard: fc.integer({ min: 1, max: 2 }), body: tie('statements'), elses: fc.array(tie('branch'), { maxLength: 2 }) }),
    fc.record({ kind: fc.constant('switch' as const), cases: fc.array(tie('statements'), { minLength: 1, maxLength: 2 }) }),
  ),
}));

export const randomFunctions: fc.Arbitrary<RandomFunction[]> = fc.array(fc.record({ headLines: fc.integer({ min: 1, max: 3 }), body: statements }), { minLength: 1, maxLength: 3 });
export const randomStyle: fc.Arbitrary<CStyle> = fc.record({ isTall: fc.boolean() });

/** A source with, for each line, the lines that are shown if it is on a path: itself among them. */
export interface WrittenSource {
  readonly lines: readonly string[];
  readonly shown: readonly ReadonlySet<number>[];
  /** Of functions in order: name, first and last line. */
  readonly functions: readonly { readonly name: string; readonly from: number; readonly to: number }[];
}

export function writtenSource(functions: readonly RandomFunction[], style: CStyle): WrittenSource {
  const writer = new Writer(style);
  functions.forEach((one, i) => writer.function(`f${i}`, one));
  return writer.finished();
}

/** Something around lines, from its first line to its last, and what is shown of it. */
interface Around {
  readonly from: number;
  readonly shown: number[];
  to: number;
}

class Writer {
  private readonly lines: string[] = [];
  private readonly arounds: (Around & { readonly isFunction: boolean })[] = [];
  private readonly functions: { name: string; from: number; to: number }[] = [];
  private names = 0;

  constructor(private readonly style: CStyle) {}

  finished(): WrittenSource {
    const shown = this.lines.map((_, i) => {
      const line = i + 1;
      const there = this.arounds.filter(({ from, to }) => from <= line && line <= to);
      return new Set([line, ...there.flatMap((one) => one.shown)]);
    });
    return { lines: this.lines, shown, functions: this.functions };
  }

  function(name: string, { headLines, body }: RandomFunction): void {
    const around = this.begin(true);
    for (let i = 1; i < headLines; i++) around.shown.push(this.line(0, i === 1 ? 'static' : '/* of numbers */'));
    around.shown.push(this.line(0, `int ${name}(int a, int b)`));
    around.shown.push(this.line(0, '{'));
    this.all(body, 1);
    around.shown.push(this.line(0, '}'));
    this.end(around);
    this.functions.push({ name, from: around.from, to: around.to });
    this.line(0, '');
  }

  private line(depth: number, text: string): number {
    return this.lines.push(`${'  '.repeat(depth)}${text}`);
  }

  private begin(isFunction = false): Around & { isFunction: boolean } {
    const around = { from: this.lines.length + 1, to: 0, shown: [], isFunction };
    this.arounds.push(around);
    return around;
  }

  private end(around: Around): void {
    around.to = this.lines.length;
  }

  private all(statements: readonly Statement[], depth: number): void {
    for (const one of statements) this.statement(one, depth);
  }

  private statement(one: Statement, depth: number): void {
    if (one.kind === 'plain') {
      this.line(depth, one.lines === 1 ? `a = b + ${++this.names};` : 'a = b');
      for (let i = 1; i < one.lines; i++) this.line(depth + 1, i === one.lines - 1 ? `+ ${++this.names};` : '+ a');
    } else if (one.kind === 'block') {
      const around = this.begin();
      around.shown.push(this.line(depth, '{'));
      this.all(one.body, depth + 1);
      around.shown.push(this.line(depth, '}'));
      this.end(around);
    } else if (one.kind === 'switch') this.switchOf(one.cases, depth);
    else if (one.kind === 'do') this.doOf(one, depth);
    else if (one.kind === 'if') this.ifOf(one, depth);
    else this.loopOf(one, depth);
  }

  /** A keyword with its guard, and the body after it. */
  private loopOf({ kind, braced, guard, body }: Statement & { kind: 'for' | 'while' | 'do' }, depth: number): void {
    const around = this.begin();
    const opening = this.head(around, depth, kind === 'for' ? ['for (int i = 0;', ' i < b; i++)'] : ['while (a <', ' b)'], guard, braced);
    if (this.branch(body, braced, depth, opening, '}')) around.shown.push(this.lines.length);
    this.end(around);
  }

  private doOf({ braced, body }: Statement & { kind: 'for' | 'while' | 'do' }, depth: number): void {
    const around = this.begin();
    const opening = this.head(around, depth, ['do', ''], 1, braced);
    const inner = this.branch(body, braced, depth, opening, braced ? '} while (a > 0);' : '');
    if (!inner) this.line(depth, 'while (a > 0);');
    around.shown.push(this.lines.length);
    this.end(around);
  }

  private ifOf({ braced, guard, body, elses }: Statement & { kind: 'if' }, depth: number): void {
    // What follows an else without a guard would be no else of it.
    const last = elses.findIndex(({ isIf }) => !isIf);
    const branches = last < 0 ? elses : elses.slice(0, last + 1);
    const chain: Around[] = [this.begin()];
    let opening = this.head(chain[0]!, depth, ['if (a ==', ' b)'], guard, braced);
    let [isBraced, content] = [braced, body];
    for (const branch of branches) {
      // Without braces an else would go to an if inside.
      const safe = isBraced ? content : [{ kind: 'plain', lines: 1 } as const];
      const joined = isBraced && !this.style.isTall;
      this.branch(safe, isBraced, depth, opening, joined ? `} ${this.elseHead(branch)}` : '}');
      const line = joined ? this.lines.length : this.line(depth, this.elseHead(branch));
      for (const one of chain) one.shown.push(line);
      opening = undefined;
      if (branch.isIf) {
        const inner = { from: line, to: 0, shown: [line], isFunction: false };
        this.arounds.push(inner);
        chain.push(inner);
      }
      if (branch.braced) opening = this.style.isTall ? this.line(depth, '{') : line;
      [isBraced, content] = [branch.braced, branch.body];
    }
    if (this.branch(content, isBraced, depth, opening, '}')) for (const one of chain) one.shown.push(this.lines.length);
    for (const one of chain) this.end(one);
  }

  private elseHead({ isIf, braced }: Branch): string {
    return `else${isIf ? ` if (b > ${++this.names})` : ''}${braced && !this.style.isTall ? ' {' : ''}`;
  }

  private switchOf(cases: readonly (readonly Statement[])[], depth: number): void {
    const around = this.begin();
    const opening = this.head(around, depth, ['switch (a)', ''], 1, true)!;
    const block: Around & { isFunction: boolean } = { from: opening, to: 0, shown: [opening], isFunction: false };
    this.arounds.push(block);
    cases.forEach((body, i) => {
      const one = this.begin();
      one.shown.push(this.line(depth, `case ${i}:`));
      this.all(body, depth + 1);
      this.line(depth + 1, 'break;');
      this.end(one);
    });
    const last = this.line(depth, '}');
    around.shown.push(last);
    block.shown.push(last);
    this.end(block);
    this.end(around);
  }

  /** The lines of a head; the result is the line of the brace that opens the body. */
  private head(around: Around, depth: number, [first, second]: readonly [string, string], lines: number, braced: boolean): number | undefined {
    const brace = braced && !this.style.isTall ? ' {' : '';
    if (lines === 1) around.shown.push(this.line(depth, `${first}${second}${brace}`));
    else around.shown.push(this.line(depth, first), this.line(depth, ` ${second}${brace}`));
    if (!braced) return undefined;
    return this.style.isTall ? this.line(depth, '{') : this.lines.length;
  }

  /** A body with its braces, or one statement without; whether it has some. */
  private branch(body: readonly Statement[], braced: boolean, depth: number, opening: number | undefined, close: string): boolean {
    if (!braced || opening === undefined) {
      this.statement(body[0]!.kind === 'block' ? { kind: 'plain', lines: 1 } : body[0]!, depth + 1);
      return false;
    }
    const around = { from: opening, to: 0, shown: [opening], isFunction: false };
    this.arounds.push(around);
    this.all(body, depth + 1);
    around.shown.push(this.line(depth, close));
    this.end(around);
    return true;
  }
}
