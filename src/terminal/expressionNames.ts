/** Names that may stand where an expression ends: variables, members after `.` and `->`, registers after `$`. */
import { unlessCorrupt } from '../dwarf/dwarfError.js';
import { type PlainType, strip, type Type } from '../dwarf/types.js';
import type { Expressions } from '../debugger/values/expressions.js';
import { unlessFailed } from '../debugger/values/expressionError.js';
import { scopesOfCall } from '../debugger/values/scopeLookup.js';

const MEMBER = /((?:[A-Za-z_$][\w$]*|\([^()]*\))(?:(?:->|\.)\w+|\[[^\]]*\])*)\s*(->|\.)\s*\w*$/;
const REGISTERS = ['rax', 'rbx', 'rcx', 'rdx', 'rsi', 'rdi', 'rbp', 'rsp', 'rip', 'pc', 'sp', 'fp', 'eflags', ...Array.from({ length: 8 }, (_, i) => `r${i + 8}`), ...Array.from({ length: 16 }, (_, i) => `xmm${i}`), '_exitcode', '_thread', '_siginfo', 'bpnum'];
const MOST_GLOBALS = 500;

export function expressionNames(text: string, expressions: Expressions): string[] {
  const member = MEMBER.exec(text);
  if (member !== null) return unlessFailed(() => membersOf(expressions.typeOf(member[1] as string).type), () => []);
  const word = /[\w$]*$/.exec(text)?.[0] ?? '';
  if (word.startsWith('$')) return [...REGISTERS, ...expressions.history.names()].map((name) => `$${name}`);
  return [...locals(expressions), ...globals(expressions, word)];
}

function membersOf(type: Type, depth = 0): string[] {
  const plain = pointedTo(strip(type));
  if (plain.kind !== 'struct' || depth > 8) return [];
  const { definition } = plain;
  const own = definition.members.flatMap((member) => (member.name === undefined ? membersOf(member.type, depth + 1) : [member.name]));
  return [...own, ...definition.bases.flatMap((base) => membersOf(base.type, depth + 1)), ...definition.methods.flatMap(({ name }) => (name === undefined ? [] : [name]))];
}

function pointedTo(plain: PlainType): PlainType {
  return plain.kind === 'pointer' || plain.kind === 'reference' ? strip(plain.to) : plain;
}

function locals({ around: { frame } }: Expressions): string[] {
  if (frame === undefined) return [];
  return unlessCorrupt(() => scopesOfCall(frame), () => []).flatMap(({ variables }) => variables.flatMap(({ name }) => (name === undefined ? [] : [name])));
}

/** Of the program: to read all names of libraries takes seconds. */
function globals({ around: { modules } }: Expressions, word: string): string[] {
  const names: string[] = [];
  for (const { info } of modules.slice(0, 1)) {
    if (info === undefined) continue;
    for (const kind of ['variable', 'function', 'enumerator'] as const) {
      for (const name of unlessCorrupt(() => info.byName.names(kind, word), () => [])) {
        if (names.length >= MOST_GLOBALS) return names;
        names.push(name);
      }
    }
  }
  return names;
}
