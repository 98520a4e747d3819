/** Values of Apple's property lists, as far as analysers use them. */
import { UserError } from '../../../base/errors.js';
import { xmlEvents } from './xmlReader.js';

interface Container {
  readonly value: unknown[] | Record<string, unknown>;
  key: string | undefined;
}

const DEEPEST = 200;

export function plistValue(text: string, name: string): unknown {
  const open: Container[] = [];
  let root: unknown;
  let words = '';
  const put = (value: unknown, line: number): void => {
    const around = open.at(-1);
    if (around === undefined) root = value;
    else if (Array.isArray(around.value)) around.value.push(value);
    else if (around.key === undefined) throw new UserError(`${name}:${line}: a value without a key`);
    else {
      Object.defineProperty(around.value, around.key, { value, enumerable: true, configurable: true, writable: true });
      around.key = undefined;
    }
  };
  for (const event of xmlEvents(text, name)) {
    if (event.kind === 'text') words += event.text;
    else if (event.kind === 'open') {
      words = '';
      if (event.name !== 'dict' && event.name !== 'array') continue;
      const value = event.name === 'dict' ? {} : [];
      put(value, event.line);
      if (open.push({ value, key: undefined }) > DEEPEST) throw new UserError(`${name}:${event.line}: deeper than ${DEEPEST} levels`);
    } else {
      const around = open.at(-1);
      if (event.name === 'dict' || event.name === 'array') open.pop();
      else if (event.name === 'key' && around !== undefined) around.key = words;
      else if (event.name !== 'plist') put(scalar(event.name, words), event.line);
      words = '';
    }
  }
  return root;
}

function scalar(element: string, words: string): unknown {
  return element === 'integer' || element === 'real' ? Number(words) : element === 'true' || element === 'false' ? element === 'true' : words;
}
