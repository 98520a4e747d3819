/**
 * Compiled regions as bytes, and back. Entries are unpacked at once, because they are what is looked for; the rest when
 * it is asked for.
 */
import { type GuestAddr, guestAddr } from '../../base/types.js';
import type { Watchfulness } from '../../jit/accessChecks.js';
import type { Site } from '../../jit/sites.js';
import type { CodeRange, KnownModule, KnownRegion, RegionLibrary, StoredRegions } from './regionLibrary.js';
import { bytesOf, float64s, Heap, uint32s } from './sections.js';

/**
 * Words per module: where it is, its length, first index, number of regions, whether it was gathered, where its machine
 * code is and how much.
 */
const MODULE_WORDS = 7;
/** Words per region: entries, ranges, ticks, where its code is and how much, how watchful it is. */
const REGION_WORDS = 6;
/** What is kept; the rest is for what was watched once. */
const KEPT: readonly Watchfulness[] = ['pages', 'views', 'loose views'];
/** Words per site beside its address: exit, retired, unretired, dirty slots. */
const SITE_WORDS = 5;

/**
 * Sections: modules, their bytes, regions, entries, ranges, code, stubs and their targets, instructions that stand
 * alone, machine code, addresses of sites, sites.
 */
export const REGION_SECTIONS = 11;

export function encodeRegions(library: RegionLibrary): Uint8Array[] {
  const [modules, regions, entries, ranges]: [number[], number[], number[], number[]] = [[], [], [], []];
  const [wasm, code, machine] = [new Heap(), new Heap(), new Heap()];
  for (const module of library.modules) {
    if (module.regions.some(({ watchfulness }) => !KEPT.includes(watchfulness)) || module.regions.every((region) => library.isForgotten(region))) continue;
    const machineCode = library.machineCodeOf(module) ?? new Uint8Array(0);
    modules.push(wasm.add(module.bytes), module.bytes.length, module.firstIndex, module.regions.length, module.isGathered ? 1 : 0, machine.add(machineCode), machineCode.length);
    for (const region of module.regions) {
      // One that is no good keeps its place, but cannot be entered.
      const own = library.isForgotten(region) ? [] : region.entries;
      regions.push(own.length, region.ranges.length, region.ticks, code.add(region.source), region.source.length, KEPT.indexOf(region.watchfulness));
      for (const entry of own) entries.push(entry);
      for (const { start, next } of region.ranges) ranges.push(start, next);
    }
  }
  return [
    bytesOf(Uint32Array.from(modules)), wasm.bytes, bytesOf(Uint32Array.from(regions)), bytesOf(Float64Array.from(entries)),
    bytesOf(Float64Array.from(ranges)), code.bytes, bytesOf(Float64Array.from([...library.stubs].flat())), bytesOf(Float64Array.from(library.standAlone)), machine.bytes, ...encodeSites(library),
  ];
}

function encodeSites(library: RegionLibrary): [Uint8Array, Uint8Array] {
  const count = library.siteCount;
  const rips = new Float64Array(count);
  const words = new Uint32Array(count * SITE_WORDS);
  for (let i = 0; i < count; i++) {
    const { exit, rip, retired, unretired, dirty } = library.site(i);
    rips[i] = rip;
    words[i * SITE_WORDS] = exit;
    words[i * SITE_WORDS + 1] = retired;
    words[i * SITE_WORDS + 2] = unretired;
    words[i * SITE_WORDS + 3] = dirty.low;
    words[i * SITE_WORDS + 4] = dirty.high;
  }
  return [bytesOf(rips), bytesOf(words)];
}

/** Throws a RangeError, sooner or later, if the sections make no sense. */
export function openRegions(sections: readonly Uint8Array<ArrayBuffer>[]): StoredRegions {
  const [modules, wasm, regions, entries, ranges, code, stubs, alone, machine, rips, sites] = sections as [
    Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>,
    Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>,
  ];
  return {
    modules: [...openModules(uint32s(modules), wasm, machine, new RegionReader(uint32s(regions), float64s(entries), float64s(ranges), code))],
    stubs: new Map(pairs(Array.from(float64s(stubs), guestAddr))),
    standAlone: new Set(Array.from(float64s(alone), guestAddr)),
    ...openSites(float64s(rips), uint32s(sites)),
  };
}

function pairs<T>(list: readonly T[]): [T, T][] {
  return Array.from({ length: list.length >> 1 }, (_, i) => [list[i * 2] as T, list[i * 2 + 1] as T]);
}

function* openModules(words: Uint32Array, wasm: Uint8Array<ArrayBuffer>, machine: Uint8Array<ArrayBuffer>, reader: RegionReader): Iterable<KnownModule> {
  for (let i = 0; i + MODULE_WORDS <= words.length; i += MODULE_WORDS) {
    const [at, length, firstIndex, count, gathered, codeAt, codeLength] = words.subarray(i, i + MODULE_WORDS) as unknown as [number, number, number, number, number, number, number];
    const regions = Array.from({ length: count }, (_, k) => reader.next(firstIndex + k));
    const machineCode = codeLength === 0 ? undefined : machine.subarray(codeAt, codeAt + codeLength);
    yield { bytes: wasm.subarray(at, at + length), machineCode, firstIndex, endIndex: firstIndex + count, regions, isGathered: gathered !== 0 };
  }
}

class RegionReader {
  private region = 0;
  private entry = 0;
  private range = 0;

  constructor(
    private readonly words: Uint32Array,
    private readonly entries: Float64Array,
    private readonly ranges: Float64Array,
    private readonly code: Uint8Array,
  ) {}

  next(index: number): KnownRegion {
    const at = this.region;
    this.region += REGION_WORDS;
    const [entries, ranges, ticks, source, length, watchfulness] = this.words.subarray(at, at + REGION_WORDS) as unknown as [number, number, number, number, number, number];
    const own = Array.from(this.entries.subarray(this.entry, this.entry + entries), guestAddr);
    const part = this.ranges.subarray(this.range, this.range + ranges * 2);
    this.entry += entries;
    this.range += ranges * 2;
    return new StoredRegion(index, own, ticks, part, this.code.subarray(source, source + length), KEPT[watchfulness] ?? 'pages');
  }
}

class StoredRegion implements KnownRegion {
  constructor(
    readonly index: number,
    readonly entries: readonly GuestAddr[],
    readonly ticks: number,
    private readonly pairs: Float64Array,
    readonly source: Uint8Array,
    readonly watchfulness: Watchfulness,
  ) {}

  get ranges(): readonly CodeRange[] {
    return Array.from({ length: this.pairs.length / 2 }, (_, i) => ({ start: this.pairs[i * 2] as number, next: this.pairs[i * 2 + 1] as number }));
  }
}

function openSites(rips: Float64Array, words: Uint32Array): Pick<StoredRegions, 'siteCount' | 'site'> {
  const opened = new Map<number, Site>();
  const site = (number: number): Site => {
    const known = opened.get(number);
    if (known !== undefined) return known;
    const [exit, retired, unretired, low, high] = words.subarray(number * SITE_WORDS, (number + 1) * SITE_WORDS) as unknown as [number, number, number, number, number];
    const fresh: Site = { exit, rip: guestAddr(rips[number] as number), retired: retired | 0, unretired, dirty: { low, high } };
    opened.set(number, fresh);
    return fresh;
  };
  return { siteCount: rips.length, site };
}
