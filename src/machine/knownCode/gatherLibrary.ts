/**
 * Makes the regions of a library anew, now that the run is over and it is known what of the program is hot
 * (gathering.ts), all in one module: calls within it need no table. Nothing but the library is needed for it, which has
 * the code that its regions were made of.
 */
import { type GuestAddr, guestAddr } from '../../base/types.js';
import type { Block } from '../../ir/ir.js';
import type { Watchfulness } from '../../jit/accessChecks.js';
import { entryAddresses, isCode, type Region, type Stub } from '../../jit/region.js';
import { buildRegionModule } from '../../jit/regionModule.js';
import { MAX_BLOCK_INSTRUCTIONS, Translator } from '../../x86/translate.js';
import { gatherRegions } from './gathering.js';
import { KnownBytes } from './knownBytes.js';
import { type CodeRange, type KnownRegion, RegionLibrary } from './regionLibrary.js';

/** It is worth while if there is one block outside of what was made so for so many inside. */
const LOOSE_SHARE = 8;
/** Code that is looked out for views has regions of its own. */
const KINDS: readonly (readonly Watchfulness[])[] = [['pages'], ['views', 'loose views']];

/**
 * Of a library of programs' own code. Undefined if it is as well as it is, or if it is of several programs that lay at
 * the same addresses.
 */
export function gatherLibrary(library: RegionLibrary): RegionLibrary | undefined {
  if (!isWorthWhile(library)) return undefined;
  const gathered = new RegionLibrary({ modules: [], siteCount: 0, site: () => { throw new RangeError('there are no sites'); }, stubs: library.stubs, standAlone: library.standAlone });
  const regions = library.modules.flatMap((module) => module.regions.filter((region) => !library.isForgotten(region)));
  for (const kind of KINDS) {
    const old = regions.filter(({ watchfulness }) => kind.includes(watchfulness));
    if (old.length > 0 && !addGathered(gathered, old)) return undefined;
  }
  return gathered;
}

/**
 * Whether there is much code in other regions only. Those that begin in the middle of gathered ones are needed besides:
 * other code comes there from elsewhere.
 */
function isWorthWhile(library: RegionLibrary): boolean {
  const startsIn = (isGathered: boolean): Set<number> => new Set(library.modules.filter((module) => module.isGathered === isGathered)
    .flatMap(({ regions }) => regions.filter((region) => !library.isForgotten(region)).flatMap(({ ranges }) => ranges.map(({ start }) => start))));
  const gathered = startsIn(true);
  const loose = [...startsIn(false)].filter((start) => !gathered.has(start)).length;
  return loose > 0 && loose * LOOSE_SHARE >= gathered.size;
}

/** False if the regions do not agree about the code. */
function addGathered(library: RegionLibrary, old: readonly KnownRegion[]): boolean {
  const bytes = new KnownBytes();
  const watchfulness = new Map<number, Watchfulness>();
  for (const region of old) {
    for (const { range, source } of pieces(region)) {
      if (!bytes.add(range.start, source)) return false;
      watchfulness.set(range.start, region.watchfulness);
    }
  }
  const entered = new Set<number>(old.flatMap(({ entries }) => entries));
  const translator = new Translator((address, length) => bytes.fetch(address, length));
  const blocks = translateAll(translator, old);
  const stub = (address: GuestAddr): Stub | null => {
    const target = library.stubs.get(address);
    const block = target === undefined ? null : (blocks.get(address) ?? translator.translate(address));
    return block === null || block.end.kind !== 'indirect' ? null : { block, target };
  };
  const regions = gatherRegions({ blocks, wasEntered: (address) => entered.has(address), stub });
  const needed = (region: Region): Watchfulness => watchfulness.get(region.nodes[0]?.block.start ?? 0) ?? 'pages';
  const firstIndex = library.endIndex;
  const context = { site: library.addSite.bind(library), standsAlone: (address: number) => library.standAlone.has(guestAddr(address)), watchfulness: needed };
  const built = buildRegionModule(regions, firstIndex, context, true);
  const known = regions.map((region, i): KnownRegion => {
    const ranges = region.nodes.filter(isCode).map(({ block: { start, next } }) => ({ start, next }));
    return { index: firstIndex + i, watchfulness: needed(region), entries: entryAddresses(region), ranges, ticks: built.ticks[i] as number, source: join(ranges, bytes) };
  });
  library.add({ bytes: built.bytes, isGathered: true, firstIndex, endIndex: firstIndex + regions.length, regions: known }, true);
  return true;
}

function translateAll(translator: Translator, regions: readonly KnownRegion[]): Map<number, Block> {
  const blocks = new Map<number, Block>();
  for (const { ranges } of regions) {
    for (const { start, next } of ranges) {
      const block = blocks.has(start) ? null : translator.translate(guestAddr(start), MAX_BLOCK_INSTRUCTIONS, (at) => at === next);
      if (block !== null) blocks.set(start, block);
    }
  }
  return blocks;
}

function* pieces({ ranges, source }: KnownRegion): Iterable<{ range: CodeRange; source: Uint8Array }> {
  let at = 0;
  for (const range of ranges) {
    const end = at + range.next - range.start;
    yield { range, source: source.subarray(at, end) };
    at = end;
  }
}

function join(ranges: readonly CodeRange[], bytes: KnownBytes): Uint8Array {
  const all = new Uint8Array(ranges.reduce((sum, { start, next }) => sum + next - start, 0));
  let at = 0;
  for (const { start, next } of ranges) {
    all.set(bytes.fetch(start, next - start), at);
    at += next - start;
  }
  return all;
}
