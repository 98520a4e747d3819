/**
 * Rules as text in one style: what is printed is parsed to the same tree again (printer.test.ts). Parentheses are put
 * where the parser needs them and around what follows `suchthat`, as the paper has it; comments are not kept.
 */
import { assertNever } from '../../base/assert.js';
import type { BinaryOperator, Binder, EventPattern, Expression, Item, Message, Point, RuleFile, RuleItem, Variable } from './ast.js';

const LEVELS: readonly (readonly BinaryOperator[])[] = [['||'], ['&&'], ['==', '!=', '<', '<=', '>', '>='], ['|'], ['^'], ['&'], ['<<', '>>'], ['+', '-'], ['*', '/', '%']];
const COMPARISON = 2;
const UNARY = LEVELS.length;
const PRIMARY = UNARY + 1;

export function printFile(file: RuleFile): string {
  return `${file.items.map(printItem).join('\n')}\n`;
}

function printItem(item: Item): string {
  switch (item.kind) {
    case 'include':
      return `#include ${quote(item.path)}`;
    case 'functions':
      return `functions ${item.name} = ${item.members.map(functionName).join(', ')}`;
    case 'define': {
      const parameters = item.parameters.length === 0 ? '' : `(${item.parameters.map(variable).join(', ')})`;
      return `define ${item.name}${parameters} = ${printExpression(item.body)}`;
    }
    case 'rule':
      return printRule(item);
    default:
      return assertNever(item);
  }
}

export function printRule(rule: RuleItem): string {
  const where = [...rule.states, rule.points.map(printPoint).join(' | ')].join('; ');
  const chains = rule.locators.map(({ value }) => `VPC(${printExpression(value)})`).join(', ');
  const lines = [`[${rule.name}] detect <${where}>: ${printExpression(rule.condition)}${chains === '' ? '' : ` :${chains}`}`];
  if (rule.message !== undefined) lines.push(`  message ${quote(messageText(rule.message))}`);
  if (rule.severity !== undefined) lines.push(`  severity ${rule.severity}`);
  if (rule.help !== undefined) lines.push(`  help ${quote(rule.help)}`);
  if (rule.enabled !== undefined) lines.push(`  default ${rule.enabled ? 'on' : 'off'}`);
  return lines.join('\n');
}

function messageText(message: Message): string {
  return message.parts.map((part) => (typeof part === 'string' ? part.replaceAll('{', '{{').replaceAll('}', '}}') : `{${printExpression(part)}}`)).join('');
}

export function printPoint(point: Point): string {
  const names = point.variables.map(variable);
  switch (point.kind) {
    case 'call':
    case 'ret': {
      const callee = point.callee === undefined ? '.' : functionName(point.callee);
      return `${point.kind} ${callee}${point.kind === 'call' ? `(${names.join(', ')})` : names.map((name) => ` ${name}`).join('')}`;
    }
    case 'free':
      return `free ${names.join(' by ')}`;
    case 'use':
      return ['use', ...(point.use === undefined ? [] : [point.use]), ...names].join(' ');
    default:
      return `${point.kind} ${names.join(', ')}`.trimEnd();
  }
}

function variable({ name }: Variable): string {
  return name ?? '.';
}

function functionName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}

function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`;
}

export function printExpression(expression: Expression): string {
  return atLevel(expression, -1);
}

/** In parentheses if it binds more loosely than what is around it allows. */
function atLevel(expression: Expression, least: number): string {
  const { text, level } = printed(expression);
  return level < least ? `(${text})` : text;
}

function printed(expression: Expression): { text: string; level: number } {
  switch (expression.kind) {
    case 'number':
      return { text: expression.text, level: PRIMARY };
    case 'text':
      return { text: quote(expression.text), level: PRIMARY };
    case 'boolean':
      return { text: String(expression.value), level: PRIMARY };
    case 'null':
      return { text: 'NULL', level: PRIMARY };
    case 'wildcard':
      return { text: '.', level: PRIMARY };
    case 'name':
      return { text: (expression.fresh ? '?' : '') + expression.name, level: PRIMARY };
    case 'apply':
      return { text: `${expression.name}(${expression.args.map(printExpression).join(', ')})`, level: PRIMARY };
    case 'findLast':
      return { text: `FindLast${printPattern(expression.pattern)}`, level: PRIMARY };
    case 'unary':
      return { text: expression.operator + atLevel(expression.operand, UNARY), level: UNARY };
    case 'member':
      return { text: `${atLevel(expression.element, COMPARISON + 1)} in ${expression.state}`, level: COMPARISON };
    case 'binary':
      return binary(expression.operator, expression.left, expression.right);
    case 'quantified': {
      const condition = expression.condition === undefined ? '' : ` suchthat (${printExpression(expression.condition)})`;
      return { text: `${expression.quantifier} ${printBinder(expression.binder)}${condition}`, level: -1 };
    }
    default:
      return assertNever(expression);
  }
}

function binary(operator: BinaryOperator, left: Expression, right: Expression): { text: string; level: number } {
  const level = LEVELS.findIndex((operators) => operators.includes(operator));
  // Comparisons do not chain; everything else groups to the left.
  const leftLevel = level === COMPARISON ? level + 1 : level;
  return { text: `${atLevel(left, leftLevel)} ${operator} ${atLevel(right, level + 1)}`, level };
}

function printBinder(binder: Binder): string {
  switch (binder.kind) {
    case 'event':
      return `event${printPattern(binder.pattern)} in Trace`;
    case 'block':
      return `${printExpression(binder.block)} in ${binder.state}`;
    case 'pointer':
      return `${printExpression(binder.pointer)} -> (${printExpression(binder.block)}, ${printExpression(binder.index)}) in P`;
    case 'frame':
      return `frame(${binder.fields.map(printExpression).join(', ')}) in S`;
    default:
      return assertNever(binder);
  }
}

function printPattern(pattern: EventPattern): string {
  return `(${[printExpression(pattern.time), pattern.event, ...pattern.fields.map(printExpression)].join(', ')})`;
}
