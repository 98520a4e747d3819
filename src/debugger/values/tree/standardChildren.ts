/** Children of objects of the C++ standard library: elements instead of the members that hold them. */
import { unlessFailed } from '../expressionError.js';
import type { Expressions } from '../expressions.js';
import { DEFAULT_SETTINGS, type PrintSettings } from '../print/settings.js';
import { nameOfType, type Part, type Shape } from '../print/standard/shape.js';
import { standardShape } from '../print/standardLibrary.js';
import type { Value } from '../value.js';
import { type Child, type Children, listed } from './child.js';

/** More than a person unfolds. */
const MOST = 10_000;

/** Undefined if it is nothing of the library. `operand` is what means the object, ready for something behind it. */
export function standardChildren(expressions: Expressions, value: Value, operand: string | undefined, settings: Partial<PrintSettings>): Children | undefined {
  const shape = standardShape(expressions.names, value, DEFAULT_SETTINGS);
  if (shape === undefined || shape.kind === 'value') return undefined;
  if (shape.kind !== 'parts') return listed(() => [], { count: 0 });
  const isIndexed = shape.layout === 'array';
  const parts = readable(shape);
  const printer = expressions.printer(settings);
  const text = (key: Value): string => unlessFailed(() => printer.nested(key, 0, true), ({ message }) => `<error: ${message}>`);
  const child = ({ name, key, value: own }: Part): Child => ({
    name: key === undefined ? name : `[${text(key)}]`, kind: isIndexed ? 'element' : 'member', expression: meaning(name, own, operand, isIndexed), value: () => own,
  });
  return listed(() => parts.map(child), { isIndexed, count: parts.length });
}

/** As far as they can be read. */
function readable(shape: Extract<Shape, { kind: 'parts' }>): Part[] {
  const found: Part[] = [];
  unlessFailed(() => {
    for (const part of shape.parts()) if (found.push(part) >= MOST) break;
  }, () => undefined);
  return found;
}

function meaning(name: string, value: Value, operand: string | undefined, isIndexed: boolean): string | undefined {
  if (operand !== undefined && isIndexed) return `${operand}${name}`;
  if (operand !== undefined && /^[a-z]/.test(name)) return `${operand}.${name}`;
  return value.address === undefined ? undefined : `*(${nameOfType(value.type)} *) 0x${value.address.toString(16)}`;
}
