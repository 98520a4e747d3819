/** Names with scopes: taking them apart, and putting them together from the entries around an entry. */
import type { Die } from './die.js';
import { AT, TAG } from './dwarfConstants.js';
import { unlessCorrupt } from './dwarfError.js';
import { EntryCursor } from './entryCursor.js';

export const ANONYMOUS_NAMESPACE = '(anonymous namespace)';

/** Deeper nesting is a circle. */
const DEEPEST = 16;

/** Splits at `::` outside of template arguments and parentheses. */
export function splitQualified(name: string): string[] {
  const parts: string[] = [];
  let [depth, start] = [0, 0];
  for (let i = 0; i < name.length; i++) {
    const c = name[i];
    if (name.startsWith('operator', i)) i += 8 + operatorLength(name.slice(i + 8)) - 1;
    else if (name.startsWith(ANONYMOUS_NAMESPACE, i)) i += ANONYMOUS_NAMESPACE.length - 1;
    else if (c === '<' || c === '(') depth++;
    else if ((c === '>' && name[i - 1] !== '-') || c === ')') depth--;
    else if (depth === 0 && c === ':' && name[i + 1] === ':') {
      parts.push(name.slice(start, i));
      start = i + 2;
      i++;
    }
  }
  return [...parts, name.slice(start)];
}

/** How many characters after `operator` belong to its name although they look like brackets. */
function operatorLength(rest: string): number {
  return /^\s*(<=>|<<=|>>=|->\*|<<|>>|<=|>=|->|\(\)|<|>)/.exec(rest)?.[0].length ?? 0;
}

/** The entries around this one, outermost first, without the unit's. Walks down from the top: dear in large units. */
export function ancestorsOf(die: Die): Die[] {
  const ancestors: Die[] = [];
  let around = die.unit.root;
  while (around.offset < die.offset) {
    const next = childAround(around, die.offset);
    if (next === undefined || next.offset === die.offset) break;
    ancestors.push(next);
    around = next;
  }
  return ancestors;
}

/** The child of `parent` that is, or contains, the entry at `offset`. */
function childAround(parent: Die, offset: number): Die | undefined {
  if (!parent.hasChildren) return undefined;
  const cursor = EntryCursor.childrenOf(parent);
  let found: number | undefined;
  while (cursor.nextSibling() && cursor.offset <= offset) found = cursor.offset;
  return found === undefined ? undefined : parent.unit.dieAt(found);
}

/** The namespaces and classes that an entry is declared in, outermost first. */
export function scopesAround(die: Die, depth = 0): Die[] {
  const declared = [...die.origins()].at(-1) ?? die;
  const scopes = ancestorsOf(declared).filter((around) => isScope(around.tag));
  if (depth >= DEEPEST) return scopes;
  // With type units a class may stand alone, completing a declaration in its place, or standing for the one in its
  // unit.
  const outermost = scopes[0];
  if (outermost !== undefined) return standsAlone(outermost) ? [...scopesAround(outermost, depth + 1), ...scopes] : scopes;
  const full = declared.has(AT.SIGNATURE) ? unlessCorrupt(() => declared.reference(AT.SIGNATURE), () => undefined) : undefined;
  return full === undefined ? scopes : scopesAround(full, depth + 1);
}

function standsAlone(die: Die): boolean {
  return die.has(AT.SPECIFICATION) || die.has(AT.SIGNATURE);
}

/** Whether names inside are written with the scope's name before them. */
function isScope(tag: number): boolean {
  return tag === TAG.NAMESPACE || tag === TAG.MODULE || tag === TAG.STRUCTURE_TYPE || tag === TAG.CLASS_TYPE || tag === TAG.UNION_TYPE ||
    tag === TAG.ENUMERATION_TYPE;
}

export function scopeName(die: Die): string {
  return die.name ?? (die.tag === TAG.NAMESPACE ? ANONYMOUS_NAMESPACE : '{unnamed type}');
}

/** `a::B::f`, as a C++ programmer writes it; the plain name in other languages. */
export function qualifiedName(die: Die): string | undefined {
  const { name } = die;
  if (name === undefined) return undefined;
  const scopes = scopesAround(die).filter((scope) => scope.tag !== TAG.ENUMERATION_TYPE && (scope.name !== undefined || scope.tag === TAG.NAMESPACE));
  return canonicalName([...scopes.map(scopeName), name].join('::'));
}

/**
 * `unsigned long` for GCC's `long unsigned int`, also within template arguments: the shortest way to write it, as GDB
 * has it.
 */
export function canonicalName(name: string): string {
  if (!/\b(int|unsigned|signed)\b/.test(name)) return name;
  return name.replace(/\b(long long|long|short)( unsigned)? int\b/g, (_, size: string, unsigned?: string) => `${unsigned === undefined ? '' : 'unsigned '}${size}`)
    .replace(/\b__int128 unsigned\b/g, 'unsigned __int128');
}

/** Whether a name is what the user wrote: exactly, or without template arguments. */
export function isNamed(name: string | undefined, written: string): boolean {
  if (name === undefined || name === written) return name === written;
  const start = name.indexOf('<');
  if (start < 0 || name.startsWith('operator')) return false;
  if (!written.includes('<')) return name.slice(0, start) === written;
  return canonicalName(name).replaceAll(' ', '') === canonicalName(written).replaceAll(' ', '');
}

/**
 * Whether scopes (outermost first) are those that the user wrote; inline and unnamed namespaces need not be written.
 */
export function scopesMatch(scopes: readonly Die[], written: readonly string[], rooted: boolean): boolean {
  let left = written.length;
  let i = scopes.length - 1;
  for (; i >= 0 && left > 0; i--) {
    const scope = scopes[i] as Die;
    if (isNamed(scopeName(scope), written[left - 1] as string)) left--;
    else if (!isTransparent(scope)) return false;
  }
  return left === 0 && (!rooted || scopes.slice(0, i + 1).every(isTransparent));
}

function isTransparent(die: Die): boolean {
  return die.tag === TAG.NAMESPACE && (die.name === undefined || die.flag(AT.EXPORT_SYMBOLS));
}
