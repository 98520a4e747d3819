/**
 * What a half-written expression may become: members after `.` and `->`, registers after `$`, otherwise all names in
 * sight.
 */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { unlessCorrupt } from '../dwarf/dwarfError.js';
import { strip, type StructType, type Type } from '../dwarf/types.js';
import { unlessFailed } from '../debugger/values/expressionError.js';
import type { Expressions } from '../debugger/values/expressions.js';
import { GENERAL } from '../debugger/values/registers.js';
import { scopesOfCall } from '../debugger/values/scopeLookup.js';

const MOST = 300;
const DEEPEST = 20;

/** `column` is where the cursor is, counted from 0. */
export function completionsFor(expressions: Expressions, text: string, column: number): DebugProtocol.CompletionItem[] {
  const before = text.slice(0, Math.max(0, Math.min(column, text.length)));
  const word = /[\w$]*$/.exec(before)?.[0] ?? '';
  const start = before.length - word.length;
  const head = before.slice(0, start);
  const access = /(\.|->)\s*$/.exec(head);
  const found = access === null ? names(expressions, word) : members(expressions, head.slice(0, access.index));
  return found.filter(({ label }) => label.startsWith(word)).slice(0, MOST).map((item) => ({ ...item, start, length: word.length }));
}

type Item = Pick<DebugProtocol.CompletionItem, 'label' | 'type'>;

function names(expressions: Expressions, word: string): Item[] {
  if (word.startsWith('$')) return [...GENERAL, 'eflags', ...expressions.history.names()].map((name) => ({ label: `$${name}`, type: 'variable' }));
  const { frame, modules } = expressions.around;
  const scopes = frame === undefined ? [] : unlessCorrupt(() => scopesOfCall(frame), () => []);
  const local = scopes.flatMap((scope) => unlessCorrupt(() => scope.variables.flatMap(({ name }) => (name === undefined ? [] : [name])), () => []));
  const items = [...new Set(local)].map((label): Item => ({ label, type: 'variable' }));
  if (word === '') return items;
  for (const kind of ['variable', 'function', 'enumerator', 'type'] as const) {
    for (const { info } of modules) {
      if (info === undefined || items.length >= MOST) continue;
      unlessCorrupt(() => {
        for (const label of info.byName.names(kind, word)) {
          if (items.length >= MOST) break;
          items.push({ label, type: kind === 'type' ? 'class' : kind === 'enumerator' ? 'enum' : kind });
        }
      }, () => undefined);
    }
  }
  return items.filter((item, i) => items.findIndex(({ label }) => label === item.label) === i);
}

function members(expressions: Expressions, head: string): Item[] {
  const object = /[\w$.:\])>-]+$/.exec(balanced(head))?.[0] ?? head;
  const type = unlessFailed(() => expressions.typeOf(object).type, () => undefined);
  const struct = type === undefined ? undefined : structureOf(type);
  return struct === undefined ? [] : membersOf(struct, 0);
}

/** The part at the end that can be an expression by itself: `f(a.b` gives `a.b`. */
function balanced(head: string): string {
  let depth = 0;
  for (let i = head.length - 1; i >= 0; i--) {
    const c = head[i] as string;
    if (c === ')' || c === ']') depth++;
    else if (c === '(' || c === '[') depth--;
    if (depth < 0) return head.slice(i + 1);
    if (depth === 0 && /[\s,;=+*/&|!<~^%?]/.test(c) && !(c === '>' && head[i - 1] === '-')) return head.slice(i + 1);
  }
  return head;
}

function structureOf(type: Type): StructType | undefined {
  const plain = strip(type);
  const inner = plain.kind === 'pointer' || plain.kind === 'reference' ? strip(plain.to) : plain;
  return inner.kind === 'struct' ? inner.definition : undefined;
}

function membersOf(struct: StructType, depth: number): Item[] {
  if (depth > DEEPEST) return [];
  const inner = (type: Type): Item[] => {
    const plain = strip(type);
    return plain.kind === 'struct' ? membersOf(plain.definition, depth + 1) : [];
  };
  return [
    ...struct.members.flatMap(({ name, type }): Item[] => (name === undefined ? inner(type) : [{ label: name, type: 'field' }])),
    ...struct.bases.flatMap(({ type }) => inner(type)),
  ];
}
