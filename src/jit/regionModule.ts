/** Bundles compiled regions into one WebAssembly module that puts its functions into the table by itself. */
import { unreachable } from '../base/assert.js';
import { LINEAR_MEMORY_PAGES } from '../layout/memoryMap.js';
import { ModuleBuilder } from '../wasm/module.js';
import { ALL_HELPERS, FIRST_REGION_INDEX } from './coreModule.js';
import type { Region } from './region.js';
import { compileRegion } from './regionCompiler.js';

/** The module for `regions`; the i-th goes to index firstIndex + i of the table. */
export function buildRegionModule(regions: readonly Region[], firstIndex: number, names = false): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder();
  const indices = new Map<string, number>();
  for (const { name, params, results } of ALL_HELPERS) indices.set(name, module.importFunc('core', name, params, results));
  module.importMemory('env', 'memory', LINEAR_MEMORY_PAGES, LINEAR_MEMORY_PAGES);
  const table = module.importTable('env', 'regions', FIRST_REGION_INDEX);
  const regionType = module.type([], ['i32']);
  const helper = (name: string): number => indices.get(name) ?? unreachable(`no helper ${name}`);
  const functions = regions.map((region) => {
    const code = module.func(`region_${region.entry.toString(16)}`, [], ['i32']);
    compileRegion(code, region, { helper, regionType });
    return code.index;
  });
  module.elem(table, firstIndex, functions);
  return module.build({ names, hints: true });
}
