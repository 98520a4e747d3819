/**
 * What gdb calls functions that debug information describes. In C++ the name of the symbol decides, if there is one:
 * template arguments are written as the demangler writes them. Frames leave out the parameters, places of breakpoints
 * have them.
 */
import type { Scope } from '../../dwarf/scope.js';
import { typeName } from '../../dwarf/typeNames.js';
import { demangle } from '../values/demangle/demangle.js';
import type { Module } from '../../dwarf/stackFrame.js';

/** Without parameters: `A::f`. */
export function functionNameOf(scope: Scope): string | undefined {
  const { displayName, linkageName } = scope.function;
  if (!scope.die.unit.isCPlusPlus || linkageName === undefined) return displayName;
  const text = demangle(linkageName, true);
  return text === linkageName ? displayName : withoutParameters(text);
}

/** With parameters, where the language has them in names: `A::f(int)`. */
export function fullFunctionName(scope: Scope, module: Module | undefined): string | undefined {
  const { linkageName, qualifiedName, displayName } = scope.function;
  if (!scope.die.unit.isCPlusPlus) return displayName;
  const text = linkageName === undefined ? undefined : demangle(linkageName, true);
  if (text !== undefined && text !== linkageName) return text;
  if (qualifiedName === undefined) return undefined;
  const type = module?.info?.types.of(scope.die);
  const parameters = type?.kind === 'function' ? type.parameters.filter((p) => !p.isArtificial).map((p) => parameterName(typeName(p.type))) : [];
  return `${qualifiedName}(${parameters.join(', ')})`;
}

/** `const A &` is `A const&` in names of functions. */
function parameterName(text: string): string {
  const [, words = '', base = '', rest = ''] = /^((?:(?:const|volatile) )*)([^*&(]*?)( ?[*&(].*)?$/s.exec(text) ?? [];
  return `${base}${words === '' ? '' : ` ${words.trim()}`}${rest}`.replace(/ ([*&])/g, '$1');
}

/** `A::f(int) const` is `A::f`; what has no parameters stays as it is. */
export function withoutParameters(name: string): string {
  const plain = name.replace(/(?: (?:const|volatile|&&?|\[clone [^\]]*\]))+$/, '');
  if (!plain.endsWith(')')) return plain;
  let depth = 0;
  for (let i = plain.length - 1; i > 0; i--) {
    if (plain[i] === ')') depth++;
    else if (plain[i] === '(' && --depth === 0) return plain.slice(0, i);
  }
  return plain;
}
