/**
 * Keeps what V8's optimising compiler has made of WebAssembly modules. V8 can write it out and read it back, for
 * browsers; Node has no function for that, but V8's own tests have, in a syntax that a flag allows. V8 compares its
 * version, its flags and the processor's features when it reads something back, and not more: who keeps it has to make
 * sure that it is what was written.
 */
import { setFlagsFromString } from 'node:v8';
import type { MachineCode } from '../../machine/knownCode/machineCode.js';
import { withCommonFlags } from './tiering.js';

interface Intrinsics {
  serialize(module: WebAssembly.Module): ArrayBuffer | undefined;
  deserialize(code: ArrayBuffer, bytes: Uint8Array): WebAssembly.Module | undefined;
  isOptimised(wasmFunction: unknown): boolean;
}

let timesMade = 0;

/**
 * Undefined where this V8 does not have them. They are good for use at once: V8 throws the bytecode of functions away
 * that have not been called for a while, and then reads their text again, without the flag that allows it. It does the
 * same with a text that it has read before; so each has a number.
 */
function intrinsics(): Intrinsics | undefined {
  const number = `// ${timesMade++}`;
  try {
    setFlagsFromString('--allow-natives-syntax');
    const serialize = new Function('module', `return %SerializeWasmModule(module) ${number}`) as Intrinsics['serialize'];
    const deserialize = new Function('code', 'bytes', `return %DeserializeWasmModule(code, bytes) ${number}`) as Intrinsics['deserialize'];
    const isOptimised = new Function('wasmFunction', `return %IsTurboFanFunction(wasmFunction) ${number}`) as Intrinsics['isOptimised'];
    return { serialize, deserialize, isOptimised };
  } catch {
    return undefined;
  } finally {
    // Flags are part of what V8 compares.
    setFlagsFromString('--no-allow-natives-syntax');
  }
}

export class V8MachineCode implements MachineCode {
  private isMissing = false;

  /** `isGood` says whether V8 does what we think it does. */
  constructor(private readonly isGood: (purpose: 'revive' | 'keep') => boolean) {}

  revive(bytes: Uint8Array<ArrayBuffer>, code: Uint8Array<ArrayBuffer>): WebAssembly.Module | undefined {
    if (!this.isGood('revive')) return undefined;
    const { buffer, byteOffset, length } = code;
    try {
      return withCommonFlags(() => this.v8?.deserialize(buffer.slice(byteOffset, byteOffset + length), bytes));
    } catch {
      return undefined;
    }
  }

  keep(module: WebAssembly.Module, functions: Iterable<unknown>): Uint8Array<ArrayBuffer> | undefined {
    const { v8 } = this;
    if (v8 === undefined) return undefined;
    for (const one of functions) {
      // A module with nothing to write ends the process.
      if (typeof one !== 'function' || !v8.isOptimised(one)) continue;
      if (!this.isGood('keep')) return undefined;
      const code = withCommonFlags(() => v8.serialize(module));
      return code === undefined ? undefined : new Uint8Array(code);
    }
    return undefined;
  }

  private get v8(): Intrinsics | undefined {
    const found = this.isMissing ? undefined : intrinsics();
    this.isMissing = found === undefined;
    return found;
  }
}
