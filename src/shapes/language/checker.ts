/**
 * What is wrong with a specification whatever the program is: names that nothing declares, attributes without a rule,
 * values where a condition must stand. What a type has is known only with a program (`checking/bind.ts`).
 */
import { nearest, type RuleProblem } from '../../rules/language/problems.js';
import { isStandardAttribute, type AttributeItem, type ConstraintItem, type Expression, type Item, type ShapeFile, type ShapePlace } from './ast.js';
import { childrenOf, isCondition } from './walk.js';

export function checkShapes(file: ShapeFile): RuleProblem[] {
  return new Checker(file.items, file.file).run();
}

class Checker {
  private readonly problems: RuleProblem[] = [];
  private readonly roots: ReadonlySet<string>;
  private readonly attributes = new Map<string, AttributeItem>();

  constructor(
    private readonly items: readonly Item[],
    private readonly file: string,
  ) {
    this.roots = new Set(items.flatMap((item) => (item.kind === 'root' ? [item.name] : [])));
  }

  run(): RuleProblem[] {
    for (const item of this.items) if (item.kind === 'attribute') this.defineAttribute(item);
    this.twice('structure', (item) => (item.kind === 'structure' || item.kind === 'array' ? item.type : undefined));
    this.twice('constraint', (item) => (item.kind === 'constraint' ? item.name : undefined));
    this.twice('constant', (item) => (item.kind === 'constant' ? item.name : undefined));
    for (const item of this.items) {
      if (item.kind === 'attribute') this.attribute(item);
      if (item.kind === 'constraint') this.constraint(item);
    }
    if (this.problems.length === 0 && !this.items.some(({ kind }) => kind === 'constraint')) this.report({ file: this.file, line: 1, column: 1 }, 'there is no constraint in this file');
    return this.problems;
  }

  private report(place: ShapePlace, message: string, hint?: string): void {
    this.problems.push({ place, message, ...(hint !== undefined && { hint }) });
  }

  private twice(what: string, nameOf: (item: Item) => string | undefined): void {
    const seen = new Set<string>();
    for (const item of this.items) {
      const name = nameOf(item);
      if (name === undefined) continue;
      if (seen.has(name)) this.report(item.place, `there is a ${what} ${name} already`);
      seen.add(name);
    }
  }

  private defineAttribute(item: AttributeItem): void {
    if (isStandardAttribute(item.name)) this.report(item.place, `${item.name} is an attribute of every node already`);
    const key = `${item.type}.${item.name}`;
    if (this.attributes.has(key)) this.report(item.place, `there is a rule for ${key} already`);
    this.attributes.set(key, item);
  }

  private attribute(item: AttributeItem): void {
    const names = new Set([item.variable]);
    if (item.guard !== undefined) this.condition(item.guard, names);
    for (const value of [item.terminal, item.otherwise]) if (value !== undefined) this.value(value, names);
  }

  private constraint(item: ConstraintItem): void {
    const names = new Set(item.variables.map(({ name }) => name));
    if (item.range !== undefined) {
      this.value(item.range.from, names);
      this.value(item.range.to, names);
      names.add(item.range.variable);
    }
    if (item.guard !== undefined) this.condition(item.guard, names);
    this.condition(item.body, names);
    if (item.variables.every(({ some }) => some) && !mentions(item, this.roots)) this.report(item.place, `${item.name} is about no node`, 'declare one first: node X;');
  }

  private condition(expression: Expression, names: ReadonlySet<string>): void {
    if (!isCondition(expression)) this.report(expression.place, 'found a value, expected a condition', 'compare it with something, like X[1] > 0');
    this.inside(expression, names);
  }

  private value(expression: Expression, names: ReadonlySet<string>): void {
    if (isCondition(expression) && expression.kind !== 'boolean' && expression.kind !== 'member') this.report(expression.place, 'found a condition, expected a value');
    this.inside(expression, names);
  }

  private inside(expression: Expression, names: ReadonlySet<string>): void {
    switch (expression.kind) {
      case 'name':
        // What is no variable is a constant of the file or of the program.
        return;
      case 'and':
      case 'or':
        this.condition(expression.left, names);
        return this.condition(expression.right, names);
      case 'not':
        return this.condition(expression.of, names);
      case 'choose':
        this.condition(expression.test, names);
        this.value(expression.yes, names);
        return this.value(expression.no, names);
      case 'connect':
        this.node(expression.from, names);
        return this.node(expression.to, names);
      case 'member':
        return this.member(expression, names);
      default:
        for (const child of childrenOf(expression)) this.value(child, names);
    }
  }

  private member(expression: Expression & { kind: 'member' }, names: ReadonlySet<string>): void {
    this.node(expression.base, names);
    const { name, place } = expression;
    if (!/^[A-Z][A-Z0-9_]+$/.test(name) || isStandardAttribute(name)) return;
    const known = [...this.attributes.values()].map((attribute) => attribute.name);
    if (known.includes(name)) return;
    const meant = nearest(name, ['INDEGREE', 'OUTDEGREE', 'EXTERNAL', 'INTERNAL', 'ISROOT', 'ISLEAF', ...known]);
    if (meant !== undefined) this.report(place, `there is no attribute ${name}`, `did you mean ${meant}?`);
  }

  /** What stands before a dot, or at an arrow: its first name is a variable or a root. */
  private node(expression: Expression, names: ReadonlySet<string>): void {
    if (expression.kind !== 'name') return this.value(expression, names);
    if (names.has(expression.name) || this.roots.has(expression.name)) return;
    const meant = nearest(expression.name, [...names, ...this.roots]);
    this.report(expression.place, `there is no variable ${expression.name}`, meant === undefined ? `declare it first: node ${expression.name};` : `did you mean ${meant}?`);
  }
}

function mentions(item: ConstraintItem, names: ReadonlySet<string>): boolean {
  const inside = (expression: Expression): boolean => (expression.kind === 'name' && names.has(expression.name)) || childrenOf(expression).some(inside);
  return [item.guard, item.body].some((part) => part !== undefined && inside(part));
}
