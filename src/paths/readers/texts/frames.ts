/** What frames of call stacks look like in texts. */
import type { FlatStep } from '../../model/flat.js';
import type { Step } from '../../model/path.js';
import { defined, positive } from '../reading.js';

export function frameOf(fields: { readonly name?: string | undefined; readonly file?: string | undefined; readonly line?: string | undefined; readonly column?: string | undefined; readonly module?: string | undefined; readonly state?: Step['state'] | undefined }): FlatStep {
  const line = positive(fields.line);
  const name = fields.name === undefined || fields.name === '??' || fields.name === '???' ? undefined : fields.name;
  return defined<FlatStep>({
    step: defined<Step>({ file: fields.file, line, column: line === undefined ? undefined : positive(fields.column), module: fields.module, state: fields.state }),
    function: name,
    level: undefined,
  });
}

/** `file.c:12:3`, `file.c:12` and `file.c`. */
export function placeIn(text: string): { readonly file: string; readonly line?: string; readonly column?: string } {
  const [, file = text, line, column] = /^(.*?)(?::(\d+)(?::(\d+))?)?$/s.exec(text) ?? [];
  return { file, ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }) };
}

/** Arguments as gdb shows them: `title=0x0, n=3`. What is in brackets and quotes belongs together. */
export function argumentsIn(text: string): Step['state'] | undefined {
  const state: [string, string][] = [];
  let [depth, quote, from] = [0, '', 0];
  const take = (end: number): void => {
    const word = text.slice(from, end).trim();
    const at = word.indexOf('=');
    if (at > 0) state.push([word.slice(0, at), word.slice(at + 1)]);
    from = end + 1;
  };
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    if (quote !== '') {
      if (character === '\\') i++;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if ('({['.includes(character)) depth++;
    else if (')}]'.includes(character)) depth--;
    else if (character === ',' && depth === 0) take(i);
  }
  take(text.length);
  return state.length === 0 ? undefined : Object.fromEntries(state);
}
