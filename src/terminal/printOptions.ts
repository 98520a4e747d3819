/** `set print …` and `show print …`. */
import { UserError } from '../base/errors.js';
import type { PrintSettings } from '../debugger/values/print/settings.js';
import { checkedBoolean } from './settings.js';

interface Option {
  readonly key: keyof PrintSettings;
  readonly kind: 'switch' | 'count' | readonly string[];
  /** `%` is the value. */
  readonly words: string;
}

const OPTIONS: Readonly<Record<string, Option>> = {
  pretty: { key: 'pretty', kind: 'switch', words: 'Pretty formatting of structures is %.' },
  array: { key: 'array', kind: 'switch', words: 'Pretty formatting of arrays is %.' },
  'array-indexes': { key: 'arrayIndexes', kind: 'switch', words: 'Printing of array indexes is %.' },
  address: { key: 'address', kind: 'switch', words: 'Printing of addresses is %.' },
  symbol: { key: 'symbol', kind: 'switch', words: 'Printing of symbol names when printing pointers is %.' },
  union: { key: 'union', kind: 'switch', words: 'Printing of unions interior to structures is %.' },
  'null-stop': { key: 'nullStop', kind: 'switch', words: 'Printing of char arrays to stop at first null char is %.' },
  'static-members': { key: 'staticMembers', kind: 'switch', words: 'Printing of C++ static members is %.' },
  object: { key: 'object', kind: 'switch', words: 'Printing of object\'s derived type when pointing to a base class is %.' },
  elements: { key: 'elements', kind: 'count', words: 'Limit on string chars or array elements to print is %.' },
  repeats: { key: 'repeats', kind: 'count', words: 'Threshold for repeated print elements is %.' },
  'max-depth': { key: 'maxDepth', kind: 'count', words: 'Maximum print depth is %.' },
  'frame-arguments': { key: 'frameArguments', kind: ['all', 'scalars', 'none', 'presence'], words: 'Printing of non-scalar frame arguments is "%".' },
  'entry-values': { key: 'entryValues', kind: ['no', 'only', 'preferred', 'if-needed', 'both', 'compact', 'default'], words: 'Printing of function arguments at function entry is "%".' },
};
/** Known to gdb, and without a meaning here. */
const IGNORED = /^(demangle|asm-demangle|sevenbit-strings|inferior-events|thread-events|finish|vtbl|frame-info|raw-frame-arguments|raw-values|type|nibbles|characters|max-symbolic-offset|pascal_static-members|symbol-filename|symbol-loading)$/;

export const PRINT_OPTIONS: readonly string[] = Object.keys(OPTIONS);

function optionNamed(name: string): Option | undefined {
  const exact = OPTIONS[name];
  if (exact !== undefined) return exact;
  const found = PRINT_OPTIONS.filter((known) => known.startsWith(name));
  if (found.length > 1) throw new UserError(`Ambiguous set print command "${name}": ${found.join(', ')}.`);
  return found[0] === undefined ? undefined : OPTIONS[found[0]];
}

export function printOption(name: string, value: string): Partial<PrintSettings> {
  const option = optionNamed(name);
  if (option === undefined) {
    if (IGNORED.test(name)) return {};
    throw new UserError(`Undefined set print command: "${name} ${value}".  Try "help set print".`);
  }
  if (typeof option.kind !== 'string') {
    if (!option.kind.includes(value)) throw new UserError(`Undefined item: "${value}".`);
    return { [option.key]: value };
  }
  if (option.kind === 'switch') return { [option.key]: checkedBoolean(value) === 'on' };
  if (/^(unlimited|0)$/.test(value)) return { [option.key]: Infinity };
  if (!/^\d+$/.test(value)) throw new UserError(value === '' ? 'Argument required (integer to set it to, or "unlimited".).' : `No symbol "${value}" in current context.`);
  return { [option.key]: Number(value) };
}

export function shownOption(name: string, settings: PrintSettings): string {
  const option = optionNamed(name);
  if (option === undefined) throw new UserError(`Undefined show print command: "${name}".  Try "help show print".`);
  const value = settings[option.key];
  return option.words.replace('%', value === true ? 'on' : value === false ? 'off' : value === Infinity ? 'unlimited' : String(value));
}
