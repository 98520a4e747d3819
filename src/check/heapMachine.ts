/**
 * What rules see of a checked process: its heap, and its memory. Events of a block are known from the block itself,
 * calls from the functions that rules name, which bytes have been written from the engine; when they were, and what
 * else happened in the program's own code, is not tracked here.
 */
import type { AbstractMachine, EventQuery, MachineBlock, MachineEvent, MachinePointer } from '../rules/evaluate/machine.js';
import type { BlockState } from '../rules/language/core.js';
import type { AddressSpace } from '../machine/addressSpace.js';
import { type AllocationFunctions, plainName } from './functions.js';
import type { Block } from './heap/blocks.js';
import type { Heap } from './heap/heap.js';
import type { Locals } from './variables/locals.js';
import type { Globals } from './variables/globals.js';
import type { CallHistory } from './calls/callHistory.js';
import { type HeapPointers, isMadeByLibrary } from './leaks/heapPointers.js';

/** More than a block has. */
const MOST_BYTES = 1 << 30;

export class HeapMachine implements AbstractMachine {
  private readonly heap: Heap;
  private readonly history: CallHistory;

  constructor(
    private readonly known: { readonly heap: Heap; readonly locals: Locals; readonly globals: Globals; readonly history: CallHistory; readonly librarysOwn: Set<number> },
    private readonly space: AddressSpace,
    private readonly time: number,
    /** Looks for pointers in all memory: only if a rule asks. */
    private readonly findPointers: () => HeapPointers,
    private readonly allocators: AllocationFunctions,
  ) {
    this.heap = known.heap;
    this.history = known.history;
  }

  /** What all pointers belong to, if that is known. */
  subject: Block | undefined;

  private found: HeapPointers | undefined;

  private get pointersFound(): HeapPointers {
    return (this.found ??= this.findPointers());
  }

  now(): bigint {
    return BigInt(this.time);
  }

  blockOf(address: bigint): MachineBlock | undefined {
    const block = this.subject ?? this.heap.blocks.of(Number(address)) ?? this.known.locals.of(Number(address)) ?? this.known.globals.of(Number(address));
    return block && machineBlock(block);
  }

  block(bid: bigint): MachineBlock | undefined {
    if (this.subject?.id === Number(bid)) return machineBlock(this.subject);
    const block = this.heap.blocks.numbered(Number(bid)) ?? this.known.locals.numbered(Number(bid));
    return block && machineBlock(block);
  }

  *blocks(state: BlockState): Iterable<MachineBlock> {
    for (const block of state === 'H' ? this.programs() : state === 'F' ? this.gone() : state === 'S' ? this.known.locals.all() : []) yield machineBlock(block);
  }

  private *gone(): Iterable<Block> {
    yield* this.heap.blocks.gone();
    for (const block of this.known.locals.all()) if (block.freed !== undefined) yield block;
  }

  /** Live blocks, without those that a library keeps for itself. */
  private *programs(): Iterable<Block> {
    for (const block of this.heap.blocks.alive()) if (!this.isLibrarysOwn(block)) yield block;
  }

  /** Once it is, it stays: to find out takes long. */
  private isLibrarysOwn(block: Block): boolean {
    const { librarysOwn } = this.known;
    if (!librarysOwn.has(block.id) && isMadeByLibrary(block) && this.pointersFound.isLibrarysOwn(block)) librarysOwn.add(block.id);
    return librarysOwn.has(block.id);
  }

  events(query: EventQuery, visit: (event: MachineEvent) => boolean): boolean {
    const { kind, bid } = query;
    if (kind === 'call' || kind === 'ret') return this.history.find(query, visit);
    if (kind === 'write' && query.pointer !== undefined) return this.isInitialized(query.pointer, 1n) && visit({ kind, time: 0n, pointer: query.pointer, value: 0n });
    if (kind !== 'malloc' && kind !== 'free') return false;
    const block = bid === undefined ? undefined : this.heap.blocks.numbered(Number(bid));
    const event = block && eventOf(kind, block);
    return event !== undefined && visit(event);
  }

  pointers(bid: bigint | undefined, visit: (pointer: MachinePointer) => boolean): boolean {
    for (const { address, block } of this.pointersFound.all(bid === undefined ? undefined : Number(bid))) {
      if (visit({ pointer: BigInt(address), bid: BigInt(block.id), index: BigInt(address - block.begin) })) return true;
    }
    return false;
  }

  isReachable(bid: bigint): boolean {
    return this.pointersFound.isReachable(Number(bid));
  }

  *frames(): Iterable<never> {}

  value(address: bigint, bytes: number): bigint | undefined {
    const read = this.space.peek(Number(address), bytes);
    return read?.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n) ?? undefined;
  }

  isInitialized(address: bigint, bytes: bigint): boolean {
    return this.space.unwritten?.firstIn(Number(address), Math.min(Number(bytes), MOST_BYTES)) === undefined;
  }

  isAccessible(address: bigint, bytes: bigint): boolean {
    return this.space.resolve(Number(address), Number(bytes), 'read').ok;
  }

  family(functionName: string): string | undefined {
    for (const [symbol, f] of Object.entries(this.allocators)) if (plainName(symbol) === functionName) return 'family' in f ? f.family : 'malloc';
    return undefined;
  }
}

function machineBlock(block: Block): MachineBlock {
  const { freed } = block;
  return {
    bid: BigInt(block.id), kind: block.variable === undefined ? 'heap' : block.family === 'global' ? 'global' : 'stack', begin: BigInt(block.begin), size: BigInt(block.size), allocatedAt: BigInt(block.allocated.time), allocator: block.allocated.by,
    ...(freed === undefined ? {} : { freedAt: BigInt(freed.time), freedBy: BigInt(block.begin), deallocator: freed.by }),
  };
}

function eventOf(kind: 'malloc' | 'free', block: Block): MachineEvent | undefined {
  const bid = BigInt(block.id);
  if (kind === 'malloc') return { kind, time: BigInt(block.allocated.time), size: BigInt(block.size), bid };
  return block.freed && { kind, time: BigInt(block.freed.time), pointer: BigInt(block.begin), bid };
}
