/** Bundles compiled regions into one WebAssembly module that puts its functions into the table by itself. */
import { assert } from '../base/assert.js';
import { RIP } from '../layout/cpuState.js';
import { LINEAR_MEMORY_PAGES, STATE_BASE } from '../layout/memoryMap.js';
import { ModuleBuilder } from '../wasm/module.js';
import { FIRST_REGION_INDEX, HELPER_TABLE, REGION_PARAMS } from './coreModule.js';
import { entryAddresses, type Region } from './region.js';
import { ENTRY_LAYOUT, emitFunctionIndex, emitWhich } from './blockTable.js';
import { EXIT } from './exits.js';
import { compileRegion } from './regionCompiler.js';
import type { RegionModule } from './regionExits.js';

/** What regions need to know of the world around them. */
export type RegionContext = Pick<RegionModule, 'site' | 'standsAlone' | 'watchfulness'>;

interface BuiltModule {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** For each region: the ticks that have to be left for it to be entered. */
  readonly ticks: readonly number[];
}

/** The module for `regions`; the i-th goes to index firstIndex + i of the function table. */
export function buildRegionModule(regions: readonly Region[], firstIndex: number, context: RegionContext, names = false): BuiltModule {
  const module = new ModuleBuilder();
  module.importMemory('env', 'memory', LINEAR_MEMORY_PAGES, LINEAR_MEMORY_PAGES);
  const table = module.importTable('env', 'functions', FIRST_REGION_INDEX);
  const regionType = module.type(REGION_PARAMS, ['i32']);
  const helper = helperCalls(module);
  const callByTable = addCallByTable(module, regionType);
  const functions = regions.map((region) => module.func(regionName(region), REGION_PARAMS, ['i32']));
  const byEntry = new Map<number, { index: number; which: number }>();
  functions.forEach(({ index }, i) => entryAddresses(regions[i] as Region).forEach((address, which) => byEntry.set(address, { index, which })));
  const functionAt = (address: number): { index: number; which: number } | undefined => byEntry.get(address);
  const ticks = functions.map((code, i) => compileRegion(code, regions[i] as Region, { helper, regionType, callByTable, functionAt, tableIndex: firstIndex + i, ...context }));
  module.elem(table, firstIndex, functions.map((code) => code.index));
  return { bytes: module.build({ names, hints: true }), ticks };
}

/** What the function of a region is called, where names are wanted. */
export function regionName(region: Region): string {
  return `region_${(entryAddresses(region)[0] as number).toString(16)}`;
}

/**
 * (entry, depth, expected): tail-calls the region at rip if the block table has it, else leaves that to the dispatcher.
 */
function addCallByTable(module: ModuleBuilder, regionType: number): number {
  const code = module.func('callByTable', ['i32', 'i32', 'i64'], ['i32']);
  const [entry, depth, expected] = [0, 1, 2];
  const word = code.local('i32');
  code.get(entry).mem('i32.load', ENTRY_LAYOUT.compiled, 2).tee(word).op('i32.eqz');
  code.get(entry).mem('i64.load', ENTRY_LAYOUT.address, 3).i32(STATE_BASE).mem('i64.load', RIP.offset, 3).op('i64.ne').op('i32.or').if_();
  code.i32(EXIT.CONTINUE).ret();
  code.end();
  emitWhich(code, word);
  code.get(depth).get(expected);
  emitFunctionIndex(code, word);
  code.returnCallIndirect(regionType);
  return code.index;
}

/**
 * Helpers as functions of the module, made when first asked for: each passes the call on to the helper in the table.
 */
function helperCalls(module: ModuleBuilder): (name: string) => number {
  const indices = new Map<string, number>();
  return (name) => {
    let index = indices.get(name);
    if (index === undefined) {
      const helper = HELPER_TABLE.get(name);
      assert(helper !== undefined, `no helper ${name}`);
      const { params, results } = helper.def;
      const code = module.func(name, params, results);
      params.forEach((_, i) => code.get(i));
      code.i32(helper.index).returnCallIndirect(module.type(params, results));
      index = code.index;
      indices.set(name, index);
    }
    return index;
  };
}
