/** Functions by what people write: `f`, `A::f`, `f<int>`, `f(int, char const*)`, `A::operator()`. */
import type { DebugInfo } from './debugInfo.js';
import type { Die } from './die.js';
import { canonicalName } from './qualifiedName.js';
import { typeName } from './typeNames.js';

/**
 * Entries of functions, those with code and those that describe inlined copies. With parameters only overloads that
 * have them.
 */
export function findFunctions(info: DebugInfo, written: string): Die[] {
  const { name, parameters } = splitParameters(written.trim());
  const found = info.byName.find(name, 'function');
  if (parameters === undefined) return found;
  const wanted = normalised(parameters);
  return found.filter((die) => normalised(parametersOf(info, die)) === wanted);
}

/** The parameter list at the end of a name, without its brackets. `operator()` has none. */
function splitParameters(written: string): { name: string; parameters: string | undefined } {
  const text = written.replace(/\)\s*const$/, ')');
  const start = matchingBracket(text);
  if (start <= 0 || /operator\s*$/.test(text.slice(0, start))) return { name: text, parameters: undefined };
  return { name: text.slice(0, start).trim(), parameters: text.slice(start + 1, -1) };
}

/** Where the bracket begins that ends the text, or -1. */
function matchingBracket(text: string): number {
  if (!text.endsWith(')')) return -1;
  let depth = 0;
  for (let i = text.length - 1; i >= 0; i--) {
    if (text[i] === ')') depth++;
    else if (text[i] === '(' && --depth === 0) return i;
  }
  return -1;
}

function parametersOf(info: DebugInfo, die: Die): string {
  const type = info.types.of(die);
  if (type.kind !== 'function') return '';
  return type.parameters.filter((parameter) => !parameter.isArtificial).map((parameter) => typeName(parameter.type)).join(',');
}

/** `char const *` is `const char*`, and no parameters are `void`. */
function normalised(parameters: string): string {
  const list = canonicalName(parameters).replace(/([\w:]+(?:<[^<>]*>)?) const\b/g, 'const $1').replaceAll(' ', '');
  return list === 'void' ? '' : list;
}
