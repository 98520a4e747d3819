/**
 * What rules see of a place in a recording, when a suspicion is judged: memory, and what has been found out about it.
 */
import { guestAddr } from '../../base/types.js';
import type { State } from '../../replay/timeline/state.js';
import type { AbstractMachine, MachineBlock, MachineFrame } from '../../rules/evaluate/machine.js';

export class RecordedMachine implements AbstractMachine {
  constructor(
    private readonly state: State,
    private readonly thread: number,
    private readonly known: { readonly frames?: readonly MachineFrame[] } = {},
  ) {}

  now(): bigint {
    return BigInt(this.state.position.time);
  }

  blockOf(): MachineBlock | undefined {
    return undefined;
  }

  block(): MachineBlock | undefined {
    return undefined;
  }

  *blocks(): Iterable<MachineBlock> {}

  events(): boolean {
    return false;
  }

  pointers(): boolean {
    return false;
  }

  frames(): Iterable<MachineFrame> {
    return this.known.frames ?? [];
  }

  value(address: bigint, bytes: number): bigint | undefined {
    const read = this.state.read(this.thread, guestAddr(Number(address)), bytes);
    return read?.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n) ?? undefined;
  }

  isInitialized(): boolean {
    return true;
  }

  isAccessible(address: bigint, bytes: bigint): boolean {
    return this.state.read(this.thread, guestAddr(Number(address)), Number(bytes)) !== null;
  }

  isReachable(): boolean {
    return true;
  }

  family(): string | undefined {
    return undefined;
  }
}
