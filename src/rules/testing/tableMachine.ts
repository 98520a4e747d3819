/** An abstract machine made of tables, for tests: every question is answered by looking through all of them. */
import { inState } from '../evaluate/goals.js';
import type { AbstractMachine, EventQuery, MachineBlock, MachineEvent, MachineFrame, MachinePointer } from '../evaluate/machine.js';
import type { BlockState } from '../language/core.js';

export interface Tables {
  readonly blocks?: readonly MachineBlock[];
  /** From the first to the last. */
  readonly events?: readonly MachineEvent[];
  readonly pointers?: readonly MachinePointer[];
  readonly frames?: readonly MachineFrame[];
  /** By address; what is missing cannot be read. */
  readonly memory?: ReadonlyMap<bigint, number>;
  readonly initialized?: (address: bigint) => boolean;
  readonly reachable?: readonly bigint[];
  readonly now?: bigint;
}

/** Blocks own this many bytes before and after themselves, as in the engine each owns all addresses near it. */
const MARGIN = 1000n;

export class TableMachine implements AbstractMachine {
  questions = 0;

  constructor(private readonly tables: Tables) {}

  now(): bigint {
    return this.tables.now ?? 1000n;
  }

  blockOf(address: bigint): MachineBlock | undefined {
    return this.tables.blocks?.find(({ begin, size }) => address >= begin - MARGIN && address < begin + size + MARGIN);
  }

  block(bid: bigint): MachineBlock | undefined {
    return this.tables.blocks?.find((block) => block.bid === bid);
  }

  blocks(state: BlockState): Iterable<MachineBlock> {
    return (this.tables.blocks ?? []).filter((block) => inState(block, state));
  }

  events(query: EventQuery, visit: (event: MachineEvent) => boolean): boolean {
    const matching = (this.tables.events ?? []).filter((event) => event.kind === query.kind);
    return [...matching].reverse().some((event) => {
      this.questions++;
      return visit(event);
    });
  }

  pointers(bid: bigint | undefined, visit: (pointer: MachinePointer) => boolean): boolean {
    return (this.tables.pointers ?? []).filter((pointer) => bid === undefined || pointer.bid === bid).some(visit);
  }

  frames(): Iterable<MachineFrame> {
    return this.tables.frames ?? [];
  }

  value(address: bigint, bytes: number): bigint | undefined {
    let value = 0n;
    for (let i = bytes - 1; i >= 0; i--) {
      const byte = this.tables.memory?.get(address + BigInt(i));
      if (byte === undefined) return undefined;
      value = (value << 8n) | BigInt(byte);
    }
    return value;
  }

  isInitialized(address: bigint, bytes: bigint): boolean {
    for (let i = 0n; i < bytes; i++) if (this.tables.initialized?.(address + i) === false) return false;
    return true;
  }

  isAccessible(address: bigint, bytes: bigint): boolean {
    const block = this.blockOf(address);
    return block === undefined ? address >= 4096n : block.freedAt === undefined && address >= block.begin && address + bytes <= block.begin + block.size;
  }

  isReachable(bid: bigint): boolean {
    return this.tables.reachable?.includes(bid) ?? false;
  }

  family(functionName: string): string | undefined {
    return ({ malloc: 'malloc', calloc: 'malloc', free: 'malloc', 'operator new': 'new', 'operator delete': 'new' } as Readonly<Record<string, string>>)[functionName];
  }
}

/** Bytes of a string with its end, for `memory`. */
export function stringAt(address: bigint, text: string): [bigint, number][] {
  return [...`${text}\0`].map((character, i) => [address + BigInt(i), character.charCodeAt(0)]);
}
