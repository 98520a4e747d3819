/** Names that may stand where an expression ends: variables, members after `.` and `->`, registers after `$`. */
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import type { Module } from '../../dwarf/stackFrame.js';
import { strip, type StructType, type Type } from '../../dwarf/types.js';
import { unlessFailed } from './expressionError.js';
import type { Expressions } from './expressions.js';
import { GENERAL } from './registers.js';
import { scopesOfCall } from './scopeLookup.js';
import { objectBefore } from './syntax/objectBefore.js';

export interface CompletedName {
  readonly name: string;
  readonly kind: 'register' | 'variable' | 'function' | 'enumerator' | 'type' | 'member' | 'method';
}

interface ExpressionCompletion {
  /** The end of the text that the names begin with, and replace. */
  readonly word: string;
  readonly names: readonly CompletedName[];
}

interface CompletionScope {
  /** Those whose global names count: to read all names of large libraries takes seconds. */
  readonly modules: readonly Module[];
  /** As many names as the user can look at. */
  readonly most: number;
}

const OTHER_REGISTERS = ['pc', 'sp', 'fp', 'eflags', ...Array.from({ length: 16 }, (_, i) => `xmm${i}`), '_exitcode', '_thread', '_siginfo', 'bpnum'];
const GLOBAL_KINDS = ['variable', 'function', 'enumerator', 'type'] as const;
/** Base classes and unnamed members within each other. */
const DEEPEST = 20;

/** `text` ends where the cursor is. */
export function completeExpression(expressions: Expressions, text: string, { modules, most }: CompletionScope): ExpressionCompletion {
  const word = /[\w$]*$/.exec(text)?.[0] ?? '';
  const head = text.slice(0, text.length - word.length);
  const access = /(\.|->)\s*$/.exec(head);
  const found = access !== null ? members(expressions, head.slice(0, access.index)) : word.startsWith('$') ? registers(expressions) : names(expressions, word, modules, most);
  const unique = new Map(found.filter(({ name }) => name.startsWith(word)).map((one) => [one.name, one] as const));
  return { word, names: [...unique.values()].slice(0, most) };
}

function registers({ history }: Expressions): CompletedName[] {
  return [...GENERAL, ...OTHER_REGISTERS, ...history.names()].map((name) => ({ name: `$${name}`, kind: 'register' }));
}

/** Without the beginning of a word, those of the frame are meant. */
function names(expressions: Expressions, word: string, modules: readonly Module[], most: number): CompletedName[] {
  const { frame } = expressions.around;
  const scopes = frame === undefined ? [] : unlessCorrupt(() => scopesOfCall(frame), () => []);
  const own = scopes.flatMap((scope) => unlessCorrupt(() => scope.variables.flatMap(({ name }): CompletedName[] => (name === undefined ? [] : [{ name, kind: 'variable' }])), () => []));
  return word === '' && own.length > 0 ? own : [...own, ...globals(word, modules, most)];
}

function globals(word: string, modules: readonly Module[], most: number): CompletedName[] {
  const found: CompletedName[] = [];
  for (const kind of GLOBAL_KINDS) {
    for (const { info } of modules) {
      if (info === undefined || found.length >= most) continue;
      unlessCorrupt(() => {
        for (const name of info.byName.names(kind, word)) if (found.push({ name, kind }) >= most) break;
      }, () => undefined);
    }
  }
  return found;
}

function members(expressions: Expressions, head: string): CompletedName[] {
  const type = unlessFailed(() => expressions.typeOf(objectBefore(head)).type, () => undefined);
  const struct = type === undefined ? undefined : structureOf(type);
  return struct === undefined ? [] : membersOf(struct, 0);
}

function structureOf(type: Type): StructType | undefined {
  const plain = strip(type);
  const inner = plain.kind === 'pointer' || plain.kind === 'reference' ? strip(plain.to) : plain;
  return inner.kind === 'struct' ? inner.definition : undefined;
}

/** Its own, also those of unnamed parts, then those of its base classes, then methods. */
function membersOf(struct: StructType, depth: number): CompletedName[] {
  if (depth > DEEPEST) return [];
  const inner = (type: Type): CompletedName[] => {
    const plain = strip(type);
    return plain.kind === 'struct' ? membersOf(plain.definition, depth + 1) : [];
  };
  return [
    ...struct.members.flatMap(({ name, type }): CompletedName[] => (name === undefined ? inner(type) : [{ name, kind: 'member' }])),
    ...struct.bases.flatMap(({ type }) => inner(type)),
    ...struct.methods.flatMap(({ name }): CompletedName[] => (name === undefined ? [] : [{ name, kind: 'method' }])),
  ];
}
