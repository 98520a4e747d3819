/**
 * `info functions`, `info variables`, `info types`, `info scope`, `info sources`: names by regular expression, as gdb
 * lists them.
 */
import { shownPath } from '../../base/bytePath.js';
import { visible } from '../../base/visible.js';
import { UserError } from '../../base/errors.js';
import type { Die } from '../../dwarf/die.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import { AT } from '../../dwarf/dwarfConstants.js';
import { declarationOf, FunctionInfo } from '../../dwarf/functionInfo.js';
import type { NameKind } from '../../dwarf/nameIndex.js';
import { typeName } from '../../dwarf/typeNames.js';
import type { DebugInfo } from '../../dwarf/debugInfo.js';
import { Variable } from '../../dwarf/variable.js';
import { STT } from '../../elf/elfSymbols.js';
import type { LoadedModule } from '../../debugger/program/modules.js';
import type { Command } from '../command.js';
import { wideHex } from '../frameText.js';
import type { Session } from '../session.js';
import { variablePlace } from '../variablePlaces.js';

interface Listed {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  readonly text: string;
}

type NamedKind = Extract<NameKind, 'function' | 'variable' | 'type'>;

function listCommand(name: string, kind: NamedKind, summary: string): Command {
  return {
    name, group: 'status', usage: `info ${name} [REGEX]`, completes: 'nothing', summary,
    run(args, session) {
      const text = args.replace(/^(-[qn]\s+)+/, '');
      const pattern = patternOf(text);
      session.say(text === '' ? `All defined ${name}:` : `All ${name} matching regular expression "${text}":`);
      const listed = uniqueEntries(session.program.modules.all.flatMap((module) => entriesOf(module, kind, pattern)));
      let file: string | undefined;
      for (const entry of listed) {
        if (entry.file !== file) session.say(`\nFile ${visible(entry.file)}:`);
        file = entry.file;
        session.say(`${entry.line === 0 ? '' : `${entry.line}:`}\t${visible(entry.text)}`);
      }
      if (kind !== 'type') listSymbols(kind, pattern, new Set(listed.map((entry) => entry.name)), session);
    },
  };
}

function patternOf(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch {
    throw new UserError(`Invalid regexp: ${text}`);
  }
}

function uniqueEntries(entries: readonly Listed[]): Listed[] {
  const sorted = [...entries].sort((a, b) => compare(a.file, b.file) || compare(a.name, b.name) || a.line - b.line);
  return sorted.filter((entry, i) => i === 0 || entry.text !== sorted[i - 1]?.text || entry.file !== sorted[i - 1]?.file);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function entriesOf({ info }: LoadedModule, kind: NamedKind, pattern: RegExp): Listed[] {
  if (info === undefined) return [];
  return [...info.byName.names(kind)].filter((name) => pattern.test(name)).flatMap((name) => {
    return unlessCorrupt(() => info.byName.find(name, kind).filter((die) => !die.has(AT.DECLARATION)).flatMap((die) => entry(die, kind, info)), () => []);
  });
}

function entry(die: Die, kind: NamedKind, info: DebugInfo): Listed[] {
  const declared = declarationOf(die);
  const name = kind === 'function' ? new FunctionInfo(die).qualifiedName : kind === 'variable' ? new Variable(die).qualifiedName : die.name;
  if (name === undefined || (kind === 'function' && !hasCode(die))) return [];
  const text = kind === 'function' ? functionText(die, name, info) : kind === 'variable' ? variableText(die, name, info) : typeText(die, info);
  return [{ file: declared?.file?.shownName ?? die.unit.name ?? '??', line: declared?.line ?? 0, name, text }];
}

function hasCode(die: Die): boolean {
  return die.has(AT.LOW_PC) || die.has(AT.RANGES) || die.has(AT.INLINE);
}

function functionText(die: Die, name: string, info: DebugInfo): string {
  const type = info.types.of(die);
  const isStatic = !new FunctionInfo(die).isExternal;
  return `${isStatic ? 'static ' : ''}${typeName(type, name)};`;
}

function variableText(die: Die, name: string, info: DebugInfo): string {
  const variable = new Variable(die);
  return `${variable.isExternal ? '' : 'static '}${typeName(info.types.of(variable.type), name)};`;
}

function typeText(die: Die, info: DebugInfo): string {
  const type = info.types.of(die);
  if (type.kind === 'typedef') return `typedef ${typeName(type.of)} ${type.name ?? ''};`;
  return type.kind === 'base' ? typeName(type) : `${typeName(type)};`;
}

function listSymbols(kind: NamedKind, pattern: RegExp, known: ReadonlySet<string>, session: Session): void {
  const rows = new Map<string, bigint>();
  for (const module of session.program.modules.all) {
    for (const { name, type, address } of module.file.symbols()) {
      const fits = kind === 'function' ? type === STT.FUNC || type === STT.GNU_IFUNC : type === STT.OBJECT;
      if (fits && address !== 0 && pattern.test(name) && !known.has(name) && !isDescribed(module, address, kind)) rows.set(name, BigInt(address) + module.bias);
    }
  }
  if (rows.size === 0) return;
  session.say('\nNon-debugging symbols:');
  const sorted = [...rows].sort(([a, x], [b, y]) => (x < y ? -1 : x > y ? 1 : compare(a, b)));
  for (const [name, address] of sorted) session.say(`${wideHex(address)}  ${name}`);
}

function isDescribed({ info }: LoadedModule, address: number, kind: NamedKind): boolean {
  return kind === 'function' && info !== undefined && unlessCorrupt(() => [...info.byAddress.unitsAt(address)].length > 0, () => false);
}

const SOURCES: Command = {
  name: 'sources', group: 'files', usage: 'info sources [REGEX]', completes: 'nothing', summary: 'Source files of the program.',
  run(args, session) {
    const pattern = patternOf(args);
    for (const { path, info } of session.program.modules.all) {
      const paths = info?.sources.paths().filter((source) => pattern.test(source)).sort() ?? [];
      if (paths.length > 0) session.say(`${shownPath(path)}:\n${paths.map(visible).join('\n')}\n`);
    }
  },
};

const SCOPE: Command = {
  name: 'scope', group: 'status', usage: 'info scope LOCATION', completes: 'location', summary: 'Variables that are visible at a place.',
  run(args, session) {
    const [location] = session.debugger.resolve(args);
    const names = [];
    for (let scope = location?.scope; scope !== undefined; scope = scope.kind === 'block' ? scope.parent : undefined) names.push(...scope.variables);
    if (names.length === 0) return session.say(`Symbol table for \`${args}' has no locals.`);
    session.say(`Scope for ${args}:`);
    for (const variable of names) {
      const info = location?.module?.info;
      const size = info === undefined ? 0 : info.types.of(variable.type).size;
      const place = variablePlace(variable, location?.module?.bias ?? 0n);
      session.say(`Symbol ${variable.name ?? '?'} is ${place}${place === 'optimized out' ? '' : `, length ${size}`}.`);
    }
  },
};

export const INFO_NAMES: readonly Command[] = [
  listCommand('functions', 'function', 'Functions whose names match.'), listCommand('variables', 'variable', 'Global variables whose names match.'), listCommand('types', 'type', 'Types whose names match.'), SOURCES, SCOPE,
];
