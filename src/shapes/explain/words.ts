/** A specification in words, a line for each statement: what `culprit shape check` says. */
import { assertNever } from '../../base/assert.js';
import type { AttributeItem, Comparison, ConstraintItem, Expression, Item, PointPlace, ShapeFile } from '../language/ast.js';
import { printExpression } from '../language/printer.js';
import { quantifiersOf } from '../language/walk.js';

export function explainShapes(file: ShapeFile): string[] {
  return file.items.map(explainItem);
}

function explainItem(item: Item): string {
  switch (item.kind) {
    case 'structure':
      return `${item.type} is a node${item.fields === undefined ? '' : ` with ${count(item.fields, 'field')}`}${item.edges === undefined ? '' : edges(item.edges)}.`;
    case 'array':
      return `${item.type} is an array: as many fields as fit, all of the same kind.`;
    case 'type':
      return `${item.type} is ${item.program} of the program.`;
    case 'names':
      return `Fields of ${item.type}: ${item.names.map(([ours, program]) => `${ours} is ${program} of the program`).join(', ')}.`;
    case 'include':
      return `What ${item.path} says.`;
    case 'embed':
      return `A pointer to ${list(item.members)} of a ${item.type} leads to that ${item.type}.`;
    case 'tag':
      return `The bits ${item.mask} of ${item.type}.${item.member} are no part of the address.`;
    case 'root':
      return `${item.name} is a variable of the program.`;
    case 'constant':
      return `${item.name} is ${item.value}.`;
    case 'site':
      return `What is allocated at ${item.site} is a ${item.type}.`;
    case 'allocator':
      return `${item.name} allocates memory.`;
    case 'point':
      return `Checked ${pointWords(item.point)}${item.types.length === 0 ? '' : ` (${list(item.types)})`}.`;
    case 'attribute':
      return attribute(item);
    case 'constraint':
      return constraint(item);
    default:
      return assertNever(item);
  }
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

function list(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)!}`;
}

function edges(told: number | readonly string[]): string {
  return typeof told === 'number' ? ` of which ${told} ${told === 1 ? 'is a pointer' : 'are pointers'}` : ` whose edges are ${list(told)}`;
}

function pointWords(point: PointPlace): string {
  switch (point.kind) {
    case 'entry':
      return `when ${point.function} is called`;
    case 'exit':
      return `when ${point.function} returns`;
    case 'line':
      return `at ${point.file}:${point.line}`;
    case 'every':
      return `after every ${count(point.operations, 'operation')}`;
    case 'end':
      return 'at the end';
    default:
      return 'at a crash';
  }
}

function attribute({ type, name, variable, guard, terminal, otherwise, ofNull }: AttributeItem): string {
  const ofOthers = value(otherwise);
  const rule = guard === undefined ? `is ${ofOthers}` : `is ${value(terminal!)} if ${words(guard)}, otherwise ${ofOthers}`;
  return `${name} of a ${type} ${variable} ${rule}${ofNull === undefined ? '' : `; of NULL it is ${ofNull}`}.`;
}

function constraint(item: ConstraintItem): string {
  const { all, some } = quantifiersOf(item);
  const typed = (name: string) => `${item.variables.find((variable) => variable.name === name)!.type} ${name}`;
  const range = item.range === undefined ? [] : [`every ${item.range.variable} from ${value(item.range.from)} to ${value(item.range.to)}`];
  const subjects = [...all.map((name) => `every ${typed(name)}`), ...range];
  const head = subjects.length === 0 ? '' : `For ${list(subjects)}: `;
  const there = some.length === 0 ? '' : `there is a ${list(some.map(typed))} so that `;
  const rule = item.guard === undefined ? `${there}${words(item.body)}` : `if ${words(item.guard)}, then ${there}${words(item.body)}`;
  return `[${item.name}] ${head}${rule}.${item.message === undefined ? '' : ` Otherwise: ${item.message}.`}`;
}

const COMPARED: Readonly<Record<Comparison, string>> = { '==': 'is', '!=': 'is not', '<': 'is less than', '<=': 'is at most', '>': 'is more than', '>=': 'is at least' };
const TESTS: Readonly<Record<string, readonly [string, string]>> = {
  ISROOT: ['is a root', 'is no root'], ISLEAF: ['is a leaf', 'is no leaf'], EXTERNAL: ['is a root or a leaf', 'is neither a root nor a leaf'], INTERNAL: ['is neither a root nor a leaf', 'is a root or a leaf'],
};

/** A condition in words. */
function words(expression: Expression): string {
  switch (expression.kind) {
    case 'and':
      return `${words(expression.left)} and ${words(expression.right)}`;
    case 'or':
      return `${words(expression.left)} or ${words(expression.right)}`;
    case 'not':
      return `it is not so that ${words(expression.of)}`;
    case 'compare':
      return comparison(expression);
    case 'connect': {
      const verb = expression.path ? 'a path' : 'an edge';
      const through = expression.through === undefined ? '' : ` through ${list(expression.through)}`;
      return `${expression.negated ? `no${verb.slice(verb.indexOf(' '))}` : verb}${through} leads from ${value(expression.from)} to ${value(expression.to)}`;
    }
    case 'member':
      return test(expression, true) ?? printExpression(expression);
    case 'boolean':
      return expression.value ? 'always' : 'never';
    default:
      return printExpression(expression);
  }
}

function test(expression: Expression, holds: boolean): string | undefined {
  const told = expression.kind === 'member' ? TESTS[expression.name] : undefined;
  return told === undefined || expression.kind !== 'member' ? undefined : `${value(expression.base)} ${told[holds ? 0 : 1]}`;
}

function comparison({ operator, left, right }: Expression & { kind: 'compare' }): string {
  const truth = right.kind === 'boolean' && (operator === '==' || operator === '!=') ? test(left, right.value === (operator === '==')) : undefined;
  return truth ?? `${value(left)} ${COMPARED[operator]} ${value(right)}`;
}

/** A value in words, where they are clearer than the signs. */
function value(expression: Expression): string {
  switch (expression.kind) {
    case 'member':
      if (expression.name === 'INDEGREE') return `the number of edges to ${value(expression.base)}${degreeOf(expression)}`;
      if (expression.name === 'OUTDEGREE') return `the number of edges from ${value(expression.base)}${degreeOf(expression)}`;
      return expression.base.kind === 'name' ? printExpression(expression) : `${expression.name} of ${value(expression.base)}`;
    case 'index':
      return expression.base.kind === 'name' ? `field ${printExpression(expression.index)} of ${expression.base.name}` : `field ${printExpression(expression.index)} of what ${value(expression.base)} leads to`;
    case 'absolute':
      return `the size of ${value(expression.of)}`;
    case 'choose':
      return `${value(expression.yes)} if ${words(expression.test)}, otherwise ${value(expression.no)}`;
    case 'arithmetic':
      return expression.operator === '+' || expression.operator === '-' ? `${value(expression.left)} ${expression.operator} ${value(expression.right)}` : printExpression(expression);
    default:
      return printExpression(expression);
  }
}

function degreeOf({ of }: Expression & { kind: 'member' }): string {
  return of === undefined ? '' : ` (of ${list(of.map(({ type, member }) => (member === undefined ? type : `${type}.${member}`)))})`;
}
