/** Values and traces for people, as text and tables, and for other programs, as JSON. */
import { jsonText as visibleJson } from '../../base/visible.js';
import { inspect } from 'node:util';
import { Allocation } from '../../traces/execution/allocations.js';
import { TracedExecution } from '../../traces/execution/tracedExecution.js';
import { Origin } from '../../traces/execution/origins.js';
import { Snapshot } from '../../traces/execution/snapshot.js';
import { Value } from '../../traces/execution/value.js';
import type { Item, Trace } from '../../traces/types.js';

interface ShowOptions {
  readonly json: boolean;
  /** Of a trace no more than so many items are shown. */
  readonly limit: number;
  readonly colour: boolean;
}

/** The text without a line end at its end; undefined if there is nothing to be shown. */
export async function shown(value: unknown, options: ShowOptions): Promise<string | undefined> {
  if (value === undefined) return undefined;
  if (options.json) return isTrace(value) ? jsonLines(value) : jsonText(value);
  if (isTrace(value)) return traceText(value, options.limit);
  if (typeof value === 'string') return value;
  if (value instanceof TracedExecution) return `an execution of ${value.endTime} instructions`;
  if (value instanceof Snapshot) return `time ${value.time}, thread ${value.threadId}: ${value}`;
  if (isItem(value)) return `time ${value.time}: ${cellText(value.value)}`;
  if (value instanceof Value || value instanceof Allocation || value instanceof Origin || hasOwnText(value)) return String(value);
  return inspect(value, { depth: 4, colors: options.colour });
}

function isTrace(value: unknown): value is Trace<unknown> {
  return typeof value === 'object' && value !== null && 'revTscan' in value && 'getBefore' in value;
}

function isItem(value: unknown): value is Item<unknown> {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 2 && 'time' in value && 'value' in value;
}

/** Tables, sources, backtraces: what says itself how it is written. */
function hasOwnText(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'toString');
}

async function traceText(trace: Trace<unknown>, limit: number): Promise<string> {
  const rows: Readonly<Record<string, string>>[] = [];
  let isCut = false;
  for await (const { time, value } of trace) {
    isCut = rows.length >= limit;
    if (isCut) break;
    rows.push({ time: String(time), ...cells(value) });
  }
  if (rows.length === 0) return 'no items';
  const text = tableText(rows);
  return isCut ? `${text}\n... more than ${limit}: use --limit, slice or filter` : text;
}

/** What a value has in the columns of a table. */
function cells(value: unknown): Record<string, string> {
  if (value instanceof Snapshot && value.syscall === undefined && value.output === undefined) {
    const { function: name, file, line } = value.source;
    const access: Record<string, string> = value.access === undefined ? {} : { access: `${value.access.kind.toLowerCase()}${value.access.by === 'kernel' ? ' by the kernel' : ''}`, address: `0x${value.access.address.toString(16)}` };
    const signal: Record<string, string> = value.signal === undefined ? {} : { signal: value.signal.name };
    return { thread: String(value.threadId), ...signal, ...access, function: name ?? '??', line: line === 0 ? '' : `${file?.slice(file.lastIndexOf('/') + 1)}:${line}` };
  }
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype && !Object.hasOwn(value, 'toString')) {
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, cellText(part)]));
  }
  return { value: cellText(value) };
}

function cellText(value: unknown): string {
  if (typeof value === 'object' && value !== null && !(value.toString === Object.prototype.toString || Array.isArray(value))) return String(value);
  return typeof value === 'string' ? value : inspect(value, { breakLength: Infinity, depth: 2 });
}

function tableText(rows: readonly Readonly<Record<string, string>>[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const isNumeric = columns.map((column) => rows.every((row) => /^-?[\d.]*$/.test(row[column] ?? '')));
  const lines = [Object.fromEntries(columns.map((column) => [column, column])), ...rows].map((row) => columns.map((column) => (row[column] ?? '').replaceAll('\n', ' ')));
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => (line[i] ?? '').length)));
  return lines.map((line) => line.map((cell, i) => (isNumeric[i] === true ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0))).join('  ').trimEnd()).join('\n');
}

/** An item a line. */
async function jsonLines(trace: Trace<unknown>): Promise<string> {
  const lines: string[] = [];
  for await (const item of trace) lines.push(jsonText(item));
  return lines.join('\n');
}

function jsonText(value: unknown): string {
  return value === undefined ? 'null' : visibleJson(value, undefined, (_key, part) => (typeof part === 'bigint' ? part.toString() : part instanceof Map ? Object.fromEntries(part) : part instanceof Set ? [...part] : part));
}
