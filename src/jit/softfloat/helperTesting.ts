/** For tests: helpers in a module of their own. */
import { STATE_BASE } from '../../layout/memoryMap.js';
import { ModuleBuilder } from '../../wasm/module.js';
import type { HelperDef } from '../emit.js';

type WasmValue = number | bigint;
/** A function with several results returns an array. */
export type HelperFn = (...args: WasmValue[]) => number & bigint & WasmValue[];

export interface HelperModule {
  readonly call: Readonly<Record<string, HelperFn>>;
  /** The CPU state in linear memory. */
  readonly state: DataView;
}

export function buildHelpers(helpers: readonly HelperDef[], more?: (m: ModuleBuilder, index: (name: string) => number) => void): HelperModule {
  const m = new ModuleBuilder();
  const pages = STATE_BASE / 65536 + 16;
  m.importMemory('env', 'memory', pages, 65536);
  const codes = new Map(helpers.map((h) => [h.name, m.func(h.name, h.params, h.results)]));
  const index = (name: string): number => {
    const code = codes.get(name);
    if (code === undefined) throw new TypeError(`no helper ${name}`);
    return code.index;
  };
  for (const h of helpers) {
    const code = codes.get(h.name)!;
    h.build(code, index);
    m.exportFunc(h.name, code.index);
  }
  more?.(m, index);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: 65536 });
  const instance = new WebAssembly.Instance(new WebAssembly.Module(m.build({ names: true })), { env: { memory } });
  return { call: instance.exports as unknown as Record<string, HelperFn>, state: new DataView(memory.buffer, STATE_BASE) };
}

/** A deterministic sequence of pseudo-random 64-bit numbers (xorshift). */
export function randomBits(seed: bigint): () => bigint {
  let x = seed | 1n;
  return () => {
    x ^= BigInt.asUintN(64, x << 13n);
    x ^= x >> 7n;
    x ^= BigInt.asUintN(64, x << 17n);
    return x;
  };
}
