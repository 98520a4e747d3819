/** All of a program's file that can be laid out anew, and what has to be patched for it. */
import { DebugInfo } from '../../dwarf/debugInfo.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import { DwarfSections } from '../../dwarf/dwarfSections.js';
import type { ElfFile } from '../../elf/elfFile.js';
import type { LinesOf } from '../variables/statements.js';
import { type FrameSite, frameSites } from './frameSites.js';
import { type GlobalSite, globalSites } from './globalSites.js';
import type { MovableProgram } from './layout.js';

export interface Movables extends MovableProgram {
  readonly globalSites: ReadonlyMap<number, readonly GlobalSite[]>;
  readonly frameSites: ReadonlyMap<number, readonly FrameSite[]>;
}

const NOTHING: Movables = { globals: [], frames: [], unmovable: [], globalSites: new Map(), frameSites: new Map() };

export function movablesOf(elf: ElfFile, linesOf: LinesOf): Movables {
  const info = new DebugInfo(new DwarfSections(elf), { lowestAddress: 1 });
  if (!unlessCorrupt(() => info.isPresent, () => false)) {
    return { ...NOTHING, unmovable: [{ name: elf.path, why: 'it has no debug information that says where its variables are' }] };
  }
  const globals = unlessCorrupt(() => globalSites(elf, info, linesOf), () => undefined);
  const frames = unlessCorrupt(() => frameSites(elf, info), () => undefined);
  return {
    globals: globals?.movable ?? [], frames: frames?.movable ?? [], unmovable: [...(globals?.unmovable ?? []), ...(frames?.unmovable ?? [])],
    globalSites: globals?.sites ?? new Map(), frameSites: frames?.sites ?? new Map(),
  };
}
