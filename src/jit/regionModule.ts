/** Bundles compiled regions into one WebAssembly module that puts its functions into the table by itself. */
import { assert } from '../base/assert.js';
import { LINEAR_MEMORY_PAGES } from '../layout/memoryMap.js';
import { ModuleBuilder } from '../wasm/module.js';
import { FIRST_REGION_INDEX, HELPER_TABLE } from './coreModule.js';
import type { Region } from './region.js';
import { compileRegion, type RegionModule } from './regionCompiler.js';

/** What regions need to know of the world around them. */
export type RegionContext = Pick<RegionModule, 'site' | 'standsAlone'>;

/** The module for `regions`; the i-th goes to index firstIndex + i of the function table. */
export function buildRegionModule(regions: readonly Region[], firstIndex: number, context: RegionContext, names = false): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder();
  module.importMemory('env', 'memory', LINEAR_MEMORY_PAGES, LINEAR_MEMORY_PAGES);
  const table = module.importTable('env', 'functions', FIRST_REGION_INDEX);
  const regionType = module.type([], ['i32']);
  const helper = helperCalls(module);
  const functions = regions.map((region) => module.func(`region_${region.entry.toString(16)}`, [], ['i32']));
  const byEntry = new Map(functions.map((code, i) => [(regions[i] as Region).entry as number, code.index]));
  const functionAt = (address: number): number | undefined => byEntry.get(address);
  functions.forEach((code, i) => {
    compileRegion(code, regions[i] as Region, { helper, regionType, functionAt, tableIndex: firstIndex + i, ...context });
  });
  module.elem(table, firstIndex, functions.map((code) => code.index));
  return module.build({ names, hints: true });
}

/** Helpers as functions of the module, made when first asked for: each passes the call on to the helper in the table. */
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
