/**
 * Compiled regions that all processes of a run share, and that may come from earlier runs. A region is good wherever
 * the same bytes lie at the addresses it was made from, so an engine that gets to one of its entries can have it at
 * once, instead of finding out that the code is hot. Numbers of functions and sites are given out here: what is
 * compiled has them in it, and means the same to everybody.
 */
import type { GuestAddr } from '../../base/types.js';
import type { Watchfulness } from '../../jit/accessChecks.js';
import { MOST_FUNCTIONS } from '../../jit/blockTable.js';
import { FIRST_REGION_INDEX } from '../../jit/coreModule.js';
import type { Site } from '../../jit/sites.js';
import { type MachineCode, NO_MACHINE_CODE } from './machineCode.js';

export interface CodeRange {
  readonly start: number;
  readonly next: number;
}

export interface KnownRegion {
  /** In the function table. */
  readonly index: number;
  readonly entries: readonly GuestAddr[];
  readonly ranges: readonly CodeRange[];
  /** That have to be left for it to be entered. */
  readonly ticks: number;
  /** What it is good for; only those that look at pages are stored. */
  readonly watchfulness: Watchfulness;
  /**
   * The guest's code in the ranges, one after the other; behind it what else the code depends on (BlockPass.variantAt).
   */
  readonly source: Uint8Array;
}

/** A WebAssembly module of regions. Each process that needs it has an instance of its own. */
export interface KnownModule {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly firstIndex: number;
  readonly endIndex: number;
  readonly regions: readonly KnownRegion[];
  /** Whether it was made when it was known what is hot (gathering.ts). */
  readonly isGathered: boolean;
  /** What an earlier run has kept of its machine code. */
  machineCode?: Uint8Array<ArrayBuffer> | undefined;
  /** Made when it is first needed. */
  compiled?: WebAssembly.Module;
  /** A table that has its functions. Processes that have ended are not to be kept by it, with all their memory. */
  table?: WeakRef<WebAssembly.Table>;
}

/** What earlier runs have left. */
export interface StoredRegions {
  readonly modules: readonly KnownModule[];
  readonly stubs: ReadonlyMap<GuestAddr, GuestAddr>;
  readonly standAlone: ReadonlySet<GuestAddr>;
  readonly siteCount: number;
  site(number: number): Site;
}

/** WebAssembly that is kept for others; beyond that there are no newcomers. */
const MOST_BYTES = 64 * 1024 * 1024;

interface RegionPlace {
  readonly module: KnownModule;
  readonly region: KnownRegion;
}

export class RegionLibrary {
  private nextIndex = FIRST_REGION_INDEX;
  private readonly byEntry = new Map<number, RegionPlace[]>();
  private readonly moduleList: KnownModule[] = [];
  private readonly newSites: Site[] = [];
  private bytes = 0;
  private readonly kept = new Map<KnownModule, Uint8Array<ArrayBuffer> | undefined>();
  /** Regions that turned out to be no good. */
  private readonly forgotten = new Set<KnownRegion>();

  /** Where calls of other libraries' functions go by, and where to. */
  readonly stubs: Map<GuestAddr, GuestAddr>;
  /** Instructions whose accesses should be checked alone. */
  readonly standAlone: Set<GuestAddr>;

  constructor(
    private readonly stored?: StoredRegions,
    private readonly machineCode: MachineCode = NO_MACHINE_CODE,
  ) {
    this.stubs = new Map(stored?.stubs);
    this.standAlone = new Set(stored?.standAlone);
    for (const module of stored?.modules ?? []) this.register(module);
  }

  /** All there are, those from earlier runs first. */
  get modules(): readonly KnownModule[] {
    return this.moduleList;
  }

  get regionCount(): number {
    return this.moduleList.reduce((sum, { regions }) => sum + regions.length, 0);
  }

  get siteCount(): number {
    return (this.stored?.siteCount ?? 0) + this.newSites.length;
  }

  /** Function indices are given out up to here. */
  get endIndex(): number {
    return this.nextIndex;
  }

  /** Whether there are numbers for so many more regions. */
  hasRoomFor(count: number): boolean {
    return this.nextIndex + count < MOST_FUNCTIONS;
  }

  /** The number of a new site. */
  addSite(site: Site): number {
    return (this.stored?.siteCount ?? 0) + this.newSites.push(site) - 1;
  }

  site(number: number): Site {
    const old = this.stored?.siteCount ?? 0;
    return number < old ? (this.stored as StoredRegions).site(number) : (this.newSites[number - old] as Site);
  }

  /** A module that was built with the next free indices. Whether others are to have it, too. */
  add(module: KnownModule, forOthers: boolean): void {
    if (forOthers && this.bytes <= MOST_BYTES) this.register(module);
    else this.nextIndex = Math.max(this.nextIndex, module.endIndex);
  }

  /** Puts a module's functions into a table. */
  instantiate(module: KnownModule, memory: WebAssembly.Memory, functions: WebAssembly.Table): void {
    module.compiled ??= this.revived(module) ?? new WebAssembly.Module(module.bytes);
    new WebAssembly.Instance(module.compiled, { env: { memory, functions } });
    module.table = new WeakRef(functions);
  }

  /** Its machine code as it is now, for runs to come. Ask for it when the run is over: it takes time. */
  machineCodeOf(module: KnownModule): Uint8Array<ArrayBuffer> | undefined {
    if (module.compiled === undefined) return module.machineCode;
    if (!this.kept.has(module)) this.kept.set(module, this.machineCode.keep(module.compiled, functionsOf(module)));
    return this.kept.get(module);
  }

  /** How much there is now for each byte of machine code that was there before. */
  get machineCodeGrowth(): number {
    const [before, now] = this.moduleList.reduce(([old, all], module) => [old + (module.machineCode?.length ?? 0), all + (this.machineCodeOf(module)?.length ?? 0)], [0, 0]);
    return before === 0 ? (now === 0 ? 1 : Infinity) : now / before;
  }

  /** Regions that can be entered at an address. */
  *at(address: number): Iterable<RegionPlace> {
    for (const place of this.byEntry.get(address) ?? []) {
      if (!this.forgotten.has(place.region)) yield place;
    }
  }

  /** It is to be compiled anew, differently. */
  forget(index: number): void {
    const module = this.moduleList.find(({ firstIndex, endIndex }) => index >= firstIndex && index < endIndex);
    const region = module?.regions[index - module.firstIndex];
    if (region !== undefined) this.forgotten.add(region);
  }

  isForgotten(region: KnownRegion): boolean {
    return this.forgotten.has(region);
  }

  private revived(module: KnownModule): WebAssembly.Module | undefined {
    if (module.machineCode === undefined) return undefined;
    const revived = this.machineCode.revive(module.bytes, module.machineCode);
    // What is of no use here is to be replaced.
    if (revived === undefined) module.machineCode = undefined;
    return revived;
  }

  private register(module: KnownModule): void {
    this.moduleList.push(module);
    this.bytes += module.bytes.length;
    this.nextIndex = Math.max(this.nextIndex, module.endIndex);
    for (const region of module.regions) {
      for (const entry of region.entries) {
        const places = this.byEntry.get(entry);
        if (places === undefined) this.byEntry.set(entry, [{ module, region }]);
        else places.push({ module, region });
      }
    }
  }
}

function* functionsOf({ table, firstIndex, endIndex }: KnownModule): Iterable<unknown> {
  const functions = table?.deref();
  if (functions === undefined) return;
  for (let i = firstIndex; i < Math.min(endIndex, functions.length); i++) yield functions.get(i);
}
