/** Items as rows and columns of text. */
import type { Item, Table } from './types.js';

/**
 * A column for each field of values that are plain objects, in the order in which they occur; one for all other values.
 */
export function tableOf(items: readonly Item<unknown>[], more: boolean): Table {
  const fields = new Set<string>();
  for (const { value } of items) for (const name of namesOf(value)) fields.add(name);
  const columns = ['time', ...fields];
  const rows = items.map(({ time, value }) => [String(time), ...[...fields].map((field) => cell(value, field))]);
  return { columns, rows, more, toString: () => lines(columns, rows, more) };
}

const WHOLE = 'value';

function namesOf(value: unknown): readonly string[] {
  return isRecord(value) ? Object.keys(value) : [WHOLE];
}

function cell(value: unknown, field: string): string {
  if (!isRecord(value)) return field === WHOLE ? textOf(value) : '';
  return Object.hasOwn(value, field) ? textOf(value[field]) : '';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`;
  if (isRecord(value)) return `{${Object.entries(value).map(([name, field]) => `${name}: ${textOf(field)}`).join(', ')}}`;
  if (typeof value === 'function') return `function ${value.name}`;
  return String(value);
}

function lines(columns: readonly string[], rows: readonly (readonly string[])[], more: boolean): string {
  const all = [columns, ...rows];
  const widths = columns.map((_, i) => Math.max(...all.map((row) => row[i]!.length)));
  const isNumeric = columns.map((_, i) => rows.length > 0 && rows.every((row) => /^-?(0x[\da-f]+|\d+(\.\d+)?)?$/.test(row[i]!)));
  const line = (row: readonly string[]): string => row.map((text, i) => (isNumeric[i] ? text.padStart(widths[i]!) : text.padEnd(widths[i]!))).join('  ').trimEnd();
  return [...all.map(line), ...(more ? ['...'] : [])].join('\n');
}
