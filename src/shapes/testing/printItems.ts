/** Whole specifications as text, for comparison. */
import { assertNever } from '../../base/assert.js';
import type { AttributeItem, ConstraintItem, Expression, Item, PointPlace, ShapeFile } from '../language/ast.js';
import { printExpression, printRule, quote } from '../language/printer.js';

export function printShapes(file: ShapeFile): string {
  return `${file.items.map(printItem).join('\n')}\n`;
}

export function printItem(item: Item): string {
  switch (item.kind) {
    case 'structure':
      return `${item.type}${item.fields === undefined ? '' : ` FIELD ${item.fields}`}${item.edges === undefined ? '' : ` EDGE ${typeof item.edges === 'number' ? item.edges : item.edges.join(', ')}`};`;
    case 'array':
      return `ARRAY ${item.type};`;
    case 'type':
      return `TYPE ${item.type} = ${quote(item.program)};`;
    case 'include':
      return `include ${quote(item.path)};`;
    case 'names':
      return `${item.type} NAME ${item.names.map(([ours, program]) => `${ours} = ${program}`).join(', ')};`;
    case 'embed':
      return `${item.type} EMBED ${item.members.join(', ')};`;
    case 'tag':
      return `${item.type} TAG ${item.member} ${item.mask};`;
    case 'root':
      return `ROOT ${item.name};`;
    case 'constant':
      return `CONSTANT ${item.name} = ${item.value};`;
    case 'site':
      return `${item.type} AT ${quote(item.site)};`;
    case 'allocator':
      return `ALLOCATOR ${quote(item.name)};`;
    case 'point':
      return `C-POINT${item.types.length === 0 ? '' : `(${item.types.join(', ')})`} ${printPoint(item.point)};`;
    case 'attribute':
      return printAttribute(item);
    case 'constraint':
      return printConstraint(item);
    default:
      return assertNever(item);
  }
}

function printPoint(point: PointPlace): string {
  switch (point.kind) {
    case 'entry':
    case 'exit':
      return `${point.kind} ${quote(point.function)}`;
    case 'line':
      return `line ${quote(`${point.file}:${point.line}`)}`;
    case 'every':
      return `every ${point.operations}`;
    default:
      return point.kind;
  }
}

function printAttribute(item: AttributeItem): string {
  const assigned = (value: Expression) => `${item.variable}.${item.name} = ${value.kind === 'or' ? `(${printExpression(value)})` : printExpression(value)}`;
  const rule = item.guard === undefined ? assigned(item.otherwise) : `${printExpression(item.guard)} => ${assigned(item.terminal!)} || ${assigned(item.otherwise)}`;
  return `${item.type}.${item.name}${item.ofNull === undefined ? '' : ` = ${item.ofNull}`}; ${item.type} ${item.variable};\n  ${rule};`;
}

function printConstraint(item: ConstraintItem): string {
  const declared = item.variables.map(({ some, type, name }) => `${some ? 'some ' : ''}${type} ${name}; `).join('');
  return `[${item.name}] ${declared}\n  ${printRule(item)}${item.message === undefined ? '' : ` message ${quote(item.message)}`};`;
}
