/**
 * Names of C++ symbols as people write them: `_ZN1A1fEi` is `A::f(int)`. By the Itanium C++ ABI; what we do not
 * understand stays as it is. Texts are as the GNU tools have them (`char const*`, `> >`).
 */
import { NameParser } from './nameParser.js';

/** The demangled name; the name itself if it is none. `dropReturn`: template functions without what they return. */
export function demangle(name: string, dropReturn = false): string {
  if (!name.startsWith('_Z')) return name;
  const match = /^(_Z[^.@]*)((?:\.[A-Za-z_]\w*(?:\.\d+)*|\.\d+)*)(@.*)?$/.exec(name);
  if (match === null) return name;
  const [, mangled = '', clones = '', version = ''] = match;
  const text = new NameParser(mangled.slice(2), dropReturn).whole();
  if (text === undefined) return name;
  const suffix = [...clones.matchAll(/\.[A-Za-z_]\w*(?:\.\d+)*|\.\d+/g)].map(([clone]) => ` [clone ${clone}]`).join('');
  return `${text}${suffix}${version}`;
}
