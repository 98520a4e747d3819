/** Functions and files by the beginning of their names. */
import type { DebugInfo } from '../dwarf/debugInfo.js';
import { unlessCorrupt } from '../dwarf/dwarfError.js';
import { STT } from '../elf/elfSymbols.js';
import type { LoadedModule } from '../debugger/program/modules.js';
import type { Session } from './session.js';

export function locationNames(prefix: string, session: Session, most: number): string[] {
  const names = new Set<string>();
  const { program } = session;
  const inFile = /^(.+\.[A-Za-z+]+):(\w*)$/.exec(prefix);
  for (const module of ownFirst(program.modules.all, program.modules.main)) {
    if (names.size >= most) break;
    // Of libraries only symbols: to read all names of their debug information takes seconds.
    const info = module === program.modules.main ? module.info : undefined;
    for (const name of namesOf(module, info, inFile === null ? prefix : (inFile[2] as string))) {
      names.add(inFile === null ? name : `${inFile[1]}:${name}`);
      if (names.size >= most) break;
    }
  }
  return [...names];
}

function ownFirst(all: readonly LoadedModule[], main: LoadedModule | undefined): LoadedModule[] {
  return main === undefined ? [...all] : [main, ...all.filter((module) => module !== main)];
}

function* namesOf(module: LoadedModule, info: DebugInfo | undefined, prefix: string): Generator<string> {
  if (info !== undefined) {
    yield* unlessCorrupt(() => [...info.byName.names('function', prefix)], () => []);
    if (prefix !== '') yield* unlessCorrupt(() => info.sources.paths(), () => []).map((path) => path.slice(path.lastIndexOf('/') + 1)).filter((name) => name.startsWith(prefix)).map((name) => `${name}:`);
  }
  for (const { name, type } of module.file.symbols()) if (type === STT.FUNC && name.startsWith(prefix)) yield name;
}
