/**
 * What a user types at the prompt or after -e: an expression whose value is shown, or statements. `await` may stand
 * anywhere.
 */
import { UserError } from '../../base/errors.js';

type Compiled = () => Promise<unknown>;

const AsyncFunction = (async () => undefined).constructor as new (body: string) => Compiled;

/** Throws a UserError for what is neither. */
export function compileText(text: string): Compiled {
  const written = text.trim().replace(/;+$/, '');
  if (written === '') return async () => undefined;
  const expression = /^(?:async\s+)?(?:function|class)\b/.test(written) ? undefined : attempt(`return (${written}\n)`);
  if (expression !== undefined && !(expression instanceof SyntaxError)) return expression;
  const statements = attempt(remembered(written));
  if (!(statements instanceof SyntaxError)) return statements;
  throw new UserError(`not JavaScript: ${statements.message}`, 1);
}

function attempt(body: string): Compiled | SyntaxError {
  try {
    return new AsyncFunction(body);
  } catch (error) {
    if (error instanceof SyntaxError) return error;
    throw error;
  }
}

/** Variables live on after the line: they become global ones. What the last statement of a line is worth is shown. */
function remembered(text: string): string {
  const parts = splitStatements(text).map((part) => part
    .replace(/^(?:const|let|var)\s+([{[][^=]*=[^]*)$/, '($1)')
    .replace(/^(?:const|let|var)\s+(?=[\w$])/, '')
    .replace(/^(async\s+)?function(\*?)\s+([\w$]+)/, (_, before: string | undefined, star: string, name: string) => `globalThis.${name} = ${before ?? ''}function${star} ${name}`)
    .replace(/^class\s+([\w$]+)/, 'globalThis.$1 = class $1'));
  const last = parts.at(-1) ?? '';
  const isDeclaration = /^(?:const|let|var|function|async function|class)\b/.test(splitStatements(text).at(-1) ?? '');
  const whole = [...parts.slice(0, -1), `return (${last}\n)`].join(';\n');
  return !isDeclaration && !(attempt(whole) instanceof SyntaxError) ? whole : parts.join(';\n');
}

/** At semicolons that stand in no bracket and no string. */
function splitStatements(text: string): string[] {
  const parts: string[] = [];
  let [depth, start] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    const character = text[i] as string;
    if (character === '"' || character === "'" || character === '`') i = endOfString(text, i);
    else if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
    else if (character === ';' && depth === 0) {
      parts.push(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  return [...parts, text.slice(start).trim()].filter((part) => part !== '');
}

function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === text[start]) return i;
  }
  return text.length;
}
