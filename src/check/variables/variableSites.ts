/** Which instructions of a file have to do with variables that are watched: found once, when its code is mapped. */
import { DebugInfo } from '../../dwarf/debugInfo.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import { DwarfSections } from '../../dwarf/dwarfSections.js';
import { ElfError } from '../../elf/elfError.js';
import { ElfFile } from '../../elf/elfFile.js';
import type { Mapping } from '../../machine/mapping.js';
import { type Bound, boundedAccesses } from './boundedAccesses.js';
import { frameFunctions } from './frameSlots.js';
import { type GlobalPointers, globalPointers, movedPointers, NO_POINTERS, NOTHING_FOUND } from './globalPointers.js';
import { type GlobalVariable, globalVariables, variableAt, withSymbolSizes } from './globalVariables.js';
import type { ProgramSources } from './programSources.js';
import type { LinesOf } from './statements.js';
import { type AllocationSite, hasUsualFrame, type PointerSite, pointerSites } from './pointerSites.js';

export interface VariableSites {
  /** By address: whose address is taken there. */
  readonly pointers: ReadonlyMap<number, PointerSite>;
  /** By address: where what has been allocated on the stack is taken. */
  readonly allocations: ReadonlyMap<number, AllocationSite>;
  /** Where functions return that do so. */
  readonly returns: readonly number[];
  readonly bounds: ReadonlyMap<number, Bound>;
  readonly globals: readonly GlobalVariable[];
  readonly globalPointers: GlobalPointers;
}

const NOTHING: VariableSites = { pointers: new Map(), allocations: new Map(), returns: [], bounds: new Map(), globals: [], globalPointers: NO_POINTERS };

export class VariableSitesOfFiles {
  private readonly known = new Map<string, VariableSites>();

  constructor(
    private readonly sources: ProgramSources,
  ) {}

  /** Of a file whose code has been mapped, with addresses of memory. */
  in(m: Mapping): VariableSites {
    const { file } = m;
    if (file === undefined) return NOTHING;
    const key = `${file.device}:${file.inode}:${file.size}:${m.name}:${m.fileOffset}`;
    let found = this.known.get(key);
    if (found === undefined) this.known.set(key, (found = sitesOf(m, this.sources.of(m.name))));
    return found === NOTHING ? NOTHING : moved(found, m.start - m.fileOffset);
  }
}

/** With addresses as if the file were mapped at 0. */
function sitesOf({ name, file, fileOffset, start, end }: Mapping, linesOf: LinesOf): VariableSites {
  if (file === undefined) return NOTHING;
  const bytes = new Uint8Array(file.size);
  file.read(0, bytes);
  try {
    const elf = new ElfFile(name, bytes);
    const info = new DebugInfo(new DwarfSections(elf), { lowestAddress: 1 });
    const segment = elf.loads.find((s) => fileOffset < s.offset + s.fileSize && s.offset < fileOffset + (end - start));
    if (segment === undefined || !unlessCorrupt(() => info.isPresent, () => false)) return NOTHING;
    return moved(sitesIn(elf, info, linesOf, (low, high) => bytes.subarray(low - segment.address + segment.offset, high - segment.address + segment.offset), segment), segment.offset - segment.address);
  } catch (error) {
    if (error instanceof ElfError) return NOTHING;
    throw error;
  }
}

function sitesIn(elf: ElfFile, info: DebugInfo, linesOf: LinesOf, codeIn: (low: number, high: number) => Uint8Array, segment: { readonly address: number; readonly fileSize: number }): VariableSites {
  const pointers = new Map<number, PointerSite>();
  const allocations = new Map<number, AllocationSite>();
  const bounds = new Map<number, Bound>();
  const returns: number[] = [];
  const declared = globalVariables(info);
  const globals = declared.length === 0 ? declared : withSymbolSizes(declared, elf.symbols.all());
  const found = unlessCorrupt(() => globalPointers(elf, info, globals, linesOf), () => NOTHING_FOUND);
  const globalAt = (at: number, address: number): GlobalVariable | undefined => (found.meant.has(at) ? found.meant.get(at) : variableAt(globals, address));
  for (const { name, low, high, slots } of frameFunctions(info)) {
    if (low < segment.address || high > segment.address + segment.fileSize) continue;
    const code = codeIn(low, high);
    if (!hasUsualFrame(code)) continue;
    const sites = pointerSites(code, name, slots);
    for (const [offset, site] of sites.pointers) pointers.set(low + offset, site);
    for (const [offset, site] of sites.allocations) allocations.set(low + offset, site);
    if (sites.pointers.size + sites.allocations.size > 0) returns.push(...sites.returns.map((offset) => low + offset));
    for (const [offset, bound] of boundedAccesses(code, low, slots, globalAt)) bounds.set(low + offset, bound);
  }
  return { pointers, allocations, returns, bounds, globals, globalPointers: found.pointers };
}

function moved({ pointers, allocations, returns, bounds, globals, globalPointers: toGlobals }: VariableSites, by: number): VariableSites {
  const moveVariable = (variable: GlobalVariable): GlobalVariable => ({ ...variable, address: variable.address + by });
  return {
    pointers: new Map([...pointers].map(([at, site]) => [at + by, site])),
    allocations: new Map([...allocations].map(([at, site]) => [at + by, site])),
    returns: returns.map((at) => at + by),
    bounds: new Map([...bounds].map(([at, bound]) => [at + by, bound.kind === 'global' ? { ...bound, variable: moveVariable(bound.variable) } : bound])),
    globals: globals.map(moveVariable),
    globalPointers: movedPointers(toGlobals, by),
  };
}
