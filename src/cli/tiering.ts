/**
 * V8's patience. Modules get their budget when they are instantiated: bin/culprit starts with a large
 * one, so that decoder and interpreter are not optimised for a guest that is over in a moment; what
 * is compiled for hot guest code from now on is worth it at once.
 */
import v8 from 'node:v8';

export function optimiseEagerly(): void {
  v8.setFlagsFromString('--wasm-tiering-budget=1800000');
}
