/** `print`: its format letter and options before the expression, and its answer with a number of the history. */
import { fail } from './expressionError.js';
import type { Expressions } from './expressions.js';
import type { Format, PrintSettings } from './print/settings.js';
import type { Value } from './value.js';

interface PrintRequest {
  readonly expression: string;
  readonly settings: Partial<PrintSettings>;
}

const LETTERS = 'xduotacfszir';
/** Options that are on or off, by gdb's names. */
const SWITCHES: Readonly<Record<string, keyof PrintSettings>> = {
  pretty: 'pretty', array: 'array', 'array-indexes': 'arrayIndexes', address: 'address', symbol: 'symbol', union: 'union', 'null-stop': 'nullStop',
  'static-members': 'staticMembers', object: 'object',
};
const NUMBERS: Readonly<Record<string, keyof PrintSettings>> = { elements: 'elements', repeats: 'repeats', 'max-depth': 'maxDepth' };

/** What follows the word `print`: `/x -pretty -- expression`. */
export function parsePrintRequest(text: string): PrintRequest {
  const { settings, rest } = parseOptions(text.trimStart());
  const match = /^\/(\S*)\s*/.exec(rest);
  if (match === null) return { expression: rest, settings };
  const format = parseFormat(match[1] ?? '', 'print');
  const raw = (match[1] ?? '').includes('r');
  return { expression: rest.slice(match[0].length), settings: { ...settings, ...(raw ? { raw } : {}), ...(format === undefined ? {} : { format }) } };
}

function parseFormat(letters: string, command: string): Format | undefined {
  const format = letters.replace(/^\d+/, '').replace(/r/g, '');
  if (/^\d/.test(letters)) fail(`Item count other than 1 is meaningless in "${command}" command.`);
  if (/[bhwg]/.test(format)) fail(`Size letters are meaningless in "${command}" command.`);
  if (format.length > 1 || [...format].some((letter) => !LETTERS.includes(letter))) fail(`Undefined output format "${format.slice(0, 1)}".`);
  if (format === 'i') fail(`Format letter "i" is meaningless in "${command}" command.`);
  return format === '' ? undefined : (format as Format);
}

function parseOptions(text: string): { settings: Partial<PrintSettings>; rest: string } {
  const settings: Record<string, unknown> = {};
  let rest = text;
  for (let match = /^-([a-z][a-z-]*)(?:\s+|$)/.exec(rest); match !== null; match = /^-([a-z][a-z-]*)(?:\s+|$)/.exec(rest)) {
    const option = findOption(match[1] as string);
    if (option === undefined) break;
    rest = rest.slice(match[0].length);
    const word = option.isNumber ? /^(\d+|unlimited)(?:\s+|$)/.exec(rest) : /^(on|off|yes|no|1|0)(?:\s+|$)/.exec(rest);
    if (option.isNumber && word === null) fail(`-${match[1]} requires an argument`);
    rest = rest.slice(word?.[0].length ?? 0);
    settings[option.setting] = option.isNumber ? (word?.[1] === 'unlimited' || (word?.[1] === '0' && option.setting !== 'maxDepth') ? Infinity : Number(word?.[1])) : !/^(off|no|0)$/.test(word?.[1] ?? 'on');
  }
  return { settings: settings as Partial<PrintSettings>, rest: rest.replace(/^--(?:\s+|$)/, '') };
}

/** An option may be cut as long as it is clear which one is meant. */
function findOption(name: string): { setting: keyof PrintSettings; isNumber: boolean } | undefined {
  const all = [...Object.entries(SWITCHES).map(([n, setting]) => ({ n, setting, isNumber: false })), ...Object.entries(NUMBERS).map(([n, setting]) => ({ n, setting, isNumber: true }))];
  return all.find(({ n }) => n === name) ?? all.find(({ n }) => n.startsWith(name));
}

/** `$1 = 5`, and the value, which is in the history then. */
export function printCommand(expressions: Expressions, text: string): { readonly text: string; readonly value: Value; readonly warnings: readonly string[] } {
  const request = parsePrintRequest(text);
  const warnings: string[] = [];
  const value = expressions.evaluate(request.expression, warnings);
  value.kept();
  const number = expressions.history.add(value);
  return { text: `$${number} = ${expressions.text(value, request.settings)}`, value, warnings };
}
