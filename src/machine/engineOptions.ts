/** What the maker of an engine may choose. */
import type { CodeSupplyOptions } from './codeSupply.js';

export interface EngineOptions extends CodeSupplyOptions {
  /** The time stamp counter: an integer that never goes down. */
  readonly timeStamp?: (() => number) | undefined;
  /** The core module, if it has been built before: it takes a while. */
  readonly coreModule?: Uint8Array<ArrayBuffer> | undefined;
}

export const DEFAULT_ENGINE_OPTIONS: EngineOptions = { hotThreshold: 2000, noCompiler: false };
