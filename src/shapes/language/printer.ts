/**
 * Expressions and constraints as text in one style: what is printed is parsed to the same tree again
 * (robustness.test.ts). Parentheses stand where the parser needs them.
 */
import { assertNever } from '../../base/assert.js';
import type { ConstraintItem, Expression } from './ast.js';

const CHOICE = 0;
const EITHER = 1;
const BOTH = 2;
const COMPARED = 3;
const ARITHMETIC = { '<<': 4, '>>': 4, '+': 5, '-': 5, '&': 6, '*': 7, '/': 7, '%': 7 } as const;
const UNARY = 8;
const POSTFIX = 9;

/** Without its name and declarations: range, guard and body. */
export function printRule({ range, guard, body }: Pick<ConstraintItem, 'range' | 'guard' | 'body'>): string {
  const ranged = range === undefined ? '' : `for ${range.variable} in ${printExpression(range.from)} to ${printExpression(range.to)}, `;
  return `${ranged}${guard === undefined ? '' : `${printExpression(guard)} => `}${printExpression(body)}`;
}

export function printExpression(expression: Expression, outer = CHOICE): string {
  const [text, level] = print(expression);
  return level < outer ? `(${text})` : text;
}

function print(expression: Expression): [string, number] {
  switch (expression.kind) {
    case 'number':
      return [String(expression.value), POSTFIX];
    case 'text':
      return [quote(expression.text), POSTFIX];
    case 'null':
      return ['NULL', POSTFIX];
    case 'boolean':
      return [String(expression.value), POSTFIX];
    case 'name':
      return [expression.name, POSTFIX];
    case 'member': {
      const of = expression.of === undefined ? '' : `(${expression.of.map(({ type, member }) => (member === undefined ? type : `${type}.${member}`)).join(', ')})`;
      return [`${printExpression(expression.base, POSTFIX)}${expression.arrow === true ? '->' : '.'}${expression.name}${of}`, POSTFIX];
    }
    case 'index':
      return [`${printExpression(expression.base, POSTFIX)}[${printExpression(expression.index)}]`, POSTFIX];
    case 'address':
      return [`&${printExpression(expression.of, UNARY)}`, UNARY];
    case 'container':
      return [`container_of(${printExpression(expression.pointer)}, ${expression.type}, ${expression.member})`, POSTFIX];
    case 'at':
      return [`at(${expression.type}, ${printExpression(expression.address)})`, POSTFIX];
    case 'negative':
      return [`-${printExpression(expression.of, UNARY)}`, UNARY];
    case 'absolute':
      return [`|${printExpression(expression.of, ARITHMETIC['<<'])}|`, POSTFIX];
    case 'arithmetic': {
      const level = ARITHMETIC[expression.operator];
      return [`${printExpression(expression.left, level)} ${expression.operator} ${printExpression(expression.right, level + 1)}`, level];
    }
    case 'compare':
      return [`${printExpression(expression.left, COMPARED + 1)} ${expression.operator} ${printExpression(expression.right, COMPARED + 1)}`, COMPARED];
    case 'connect': {
      const sign = `${expression.negated ? '/' : ''}${expression.path ? '->>' : '->'}`;
      const through = expression.through === undefined ? '' : `{${expression.through.join(', ')}}`;
      return [`${printExpression(expression.from, COMPARED + 1)} ${sign}${through} ${printExpression(expression.to, COMPARED + 1)}`, COMPARED];
    }
    case 'and':
      return [`${printExpression(expression.left, BOTH)} and ${printExpression(expression.right, COMPARED)}`, BOTH];
    case 'or':
      return [`${printExpression(expression.left, EITHER)} or ${printExpression(expression.right, BOTH)}`, EITHER];
    case 'not':
      return [`not ${printExpression(expression.of, COMPARED)}`, COMPARED];
    case 'choose':
      return [`${printExpression(expression.test, EITHER)} ? ${printExpression(expression.yes)} : ${printExpression(expression.no)}`, CHOICE];
    case 'call':
      return [`${expression.name}(${expression.of.map((argument) => printExpression(argument)).join(', ')})`, POSTFIX];
    default:
      return assertNever(expression);
  }
}

export function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`;
}
