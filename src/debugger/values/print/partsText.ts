/**
 * Objects that are shown with parts of their own choice: `std::map with 1 element = {[1] = 2}`. In gdb's layout, with
 * its limits.
 */
import { unlessFailed } from '../expressionError.js';
import type { Part, Shape } from './standard/shape.js';
import type { ValuePrinter } from './valuePrinter.js';

type WithParts = Extract<Shape, { kind: 'parts' }>;

export function partsText(printer: ValuePrinter, { head, layout, parts }: WithParts, depth: number): string {
  const { settings } = printer;
  const isPretty = layout === 'array' ? settings.array : settings.pretty;
  const [inner, outer] = isPretty ? [`\n${' '.repeat(2 + 2 * depth)}`, `\n${' '.repeat(2 * depth)}`] : ['', ''];
  // Keys count, too; and gdb does not look whether there is more.
  const limit = settings.elements;
  let text = '';
  let count = 0;
  const failure = unlessFailed(() => {
    for (const part of parts()) {
      if (count >= limit) break;
      text += `${count === 0 ? '' : isPretty ? ',' : ', '}${inner}`;
      count += part.key === undefined ? 1 : 2;
      text += partText(printer, part, layout, depth, count <= limit);
    }
    return '';
  }, (error) => `${count === 0 ? '' : ', '}<error: ${error.message}>`);
  if (count === 0 && failure === '') return head;
  return `${head}${head === '' ? '' : ' = '}{${text}${failure}${count >= limit ? `${inner}...` : ''}${outer}}`;
}

function partText(printer: ValuePrinter, { name, key, value }: Part, layout: WithParts['layout'], depth: number, isWhole: boolean): string {
  const own = isWhole ? printer.part(() => value, depth + 1) : '';
  if (layout === 'map' && key !== undefined) return `[${printer.part(() => key, depth + 1)}] = ${own}`;
  const index = layout === 'members' || printer.settings.arrayIndexes ? `${name} = ` : '';
  return `${index}${own}`;
}

export function hasSome(parts: Iterable<Part>): boolean {
  for (const _part of parts) return true;
  return false;
}
