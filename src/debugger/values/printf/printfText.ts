/** gdb's `printf "format", values`: C's conversions with values of the program. */
import { escapedCharacter } from '../../../base/visible.js';
import { fail } from '../expressionError.js';
import type { Expressions } from '../expressions.js';
import { converted } from './convert.js';
import { parseFormat } from './format.js';

/** In UTF-8, of which a text here has one character a byte. */
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]/g;

/**
 * All after `printf`. Bytes that make no characters are shown as such. `showsControls`: so are control characters in
 * values, but for ends of lines and tabs.
 */
export function printfText(expressions: Expressions, args: string, showsControls = false): string {
  const text = args.trim();
  if (text === '') return fail('Argument required (format-control string and values to print).');
  if (!text.startsWith('"')) return fail("Bad format string, missing '\"'.");
  const { pieces, rest } = parseFormat(text);
  const list = rest.trim();
  if (list !== '' && !list.startsWith(',')) return fail('Invalid argument syntax');
  const values = argumentsIn(list.slice(1)).map((part) => expressions.evaluate(part));
  if (values.length !== pieces.filter((piece) => typeof piece !== 'string').length) return fail('Wrong number of arguments for specified format-string');
  const shown = pieces.map((piece) => {
    if (typeof piece === 'string') return piece;
    const value = values.shift();
    const text = value === undefined ? '' : converted(value, piece);
    return showsControls ? text.replace(CONTROLS, (found) => escapedCharacter(found.slice(-1))) : text;
  });
  return new TextDecoder().decode(Uint8Array.from(shown.join(''), (character) => character.charCodeAt(0)));
}

/** At commas outside of brackets and quotes. */
function argumentsIn(list: string): string[] {
  if (list.trim() === '') return [];
  const parts: string[] = [];
  let [depth, start, quote] = [0, 0, ''];
  for (let i = 0; i <= list.length; i++) {
    const c = list[i] ?? ',';
    if (quote !== '' && c === '\\') i++;
    else if (quote !== '' && i < list.length) quote = c === quote ? '' : quote;
    else if (c === '"' || c === "'") quote = c;
    else if ('([{'.includes(c)) depth++;
    else if (')]}'.includes(c)) depth--;
    else if (c === ',' && (depth <= 0 || i >= list.length)) {
      const part = list.slice(start, i);
      if (part.trim() === '') return fail(`A syntax error in expression, near \`${list.slice(start).trim()}'.`);
      parts.push(part);
      start = i + 1;
    }
  }
  return parts;
}
