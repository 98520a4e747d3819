/** Parts of objects of the C++ standard library, as the client unfolds them: elements instead of the members that hold them. */
import { unlessFailed } from '../debugger/values/expressionError.js';
import { DEFAULT_SETTINGS } from '../debugger/values/print/settings.js';
import { nameOfType, type Part, type Shape } from '../debugger/values/print/standard/shape.js';
import { standardShape } from '../debugger/values/print/standardLibrary.js';
import type { Value } from '../debugger/values/value.js';
import type { ValuePart } from './containers.js';
import type { ValueView } from './valueContainer.js';

/** Nobody unfolds more. */
const MOST = 10_000;

interface StandardParts {
  readonly isIndexed: boolean;
  readonly parts: readonly ValuePart[];
}

/** Undefined if it is nothing of the library. `operand` is what means the object, ready for something behind it. */
export function standardParts(view: ValueView, value: Value, operand: string | undefined): StandardParts | undefined {
  const shape = standardShape(view.expressions.names, value, DEFAULT_SETTINGS);
  if (shape === undefined || shape.kind === 'value') return undefined;
  if (shape.kind !== 'parts') return { isIndexed: false, parts: [] };
  const isIndexed = shape.layout === 'array';
  return { isIndexed, parts: readable(shape).map((part) => shown(view, part, operand, isIndexed)) };
}

/** As far as they can be read. */
function readable(shape: Extract<Shape, { kind: 'parts' }>): Part[] {
  const found: Part[] = [];
  unlessFailed(() => {
    for (const part of shape.parts()) if (found.push(part) >= MOST) break;
  }, () => undefined);
  return found;
}

function shown(view: ValueView, { name, key, value }: Part, operand: string | undefined, isIndexed: boolean): ValuePart {
  const title = key === undefined ? name : `[${view.text(key)}]`;
  return { name: title, value, expression: expressionFor(name, value, operand, isIndexed), hint: undefined };
}

function expressionFor(name: string, value: Value, operand: string | undefined, isIndexed: boolean): string | undefined {
  if (operand !== undefined && isIndexed) return `${operand}${name}`;
  if (operand !== undefined && /^[a-z]/.test(name)) return `${operand}.${name}`;
  return value.address === undefined ? undefined : `*(${nameOfType(value.type)} *) 0x${value.address.toString(16)}`;
}
