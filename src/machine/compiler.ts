/** Decides what to compile. */
import type { GuestAddr } from '../base/types.js';
import type { Translator } from '../x86/translate.js';
import type { CodeCache } from './codeCache.js';
import type { LinearMemory } from './linearMemory.js';

export class Compiler {
  modules = 0;
  regions = 0;
  wasmBytes = 0;

  constructor(
    readonly linear: LinearMemory,
    readonly table: WebAssembly.Table,
    readonly helpers: WebAssembly.Exports,
    readonly translator: Translator,
    readonly cache: CodeCache,
  ) {}

  request(_address: GuestAddr): void {}
  flush(): void {}
  invalidatePage(_page: number): void {}
}
