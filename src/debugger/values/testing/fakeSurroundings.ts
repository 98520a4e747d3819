/** A program for expressions that has no debug information: some memory, some registers, nothing else. */
import { UserError } from '../../../base/errors.js';
import type { ProgramSymbol, Surroundings } from '../surroundings.js';

export class FakeSurroundings implements Surroundings {
  readonly frame = undefined;
  readonly modules = [];
  readonly registers = new Map<string, bigint>();
  private readonly bytes = new Map<bigint, number>();

  /** Memory that is there from now on. */
  put(address: bigint, bytes: ArrayLike<number>): this {
    Array.from(bytes).forEach((byte, i) => this.bytes.set(address + BigInt(i), byte));
    return this;
  }

  memory(address: bigint, size: number): Uint8Array | undefined {
    const found = Array.from({ length: size }, (_, i) => this.bytes.get(address + BigInt(i)));
    return found.includes(undefined) ? undefined : Uint8Array.from(found as number[]);
  }

  register(name: string): bigint | undefined {
    return this.registers.get(name);
  }

  symbolAt(): undefined {
    return undefined;
  }

  symbolNamed(): ProgramSymbol | undefined {
    return undefined;
  }

  tlsAddress(): undefined {
    return undefined;
  }

  writeMemory(address: bigint, bytes: Uint8Array): void {
    if (this.memory(address, bytes.length) === undefined) throw new UserError('no memory');
    this.put(address, bytes);
  }

  writeRegister(name: string, value: bigint): void {
    this.registers.set(name, value);
  }

  debuggerVariable(): undefined {
    return undefined;
  }

  signalInfo(): undefined {
    return undefined;
  }
}
