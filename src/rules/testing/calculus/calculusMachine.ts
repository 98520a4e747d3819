/**
 * A state of the calculus as what rules are evaluated against. Heap blocks and written cells are answered from the
 * trace σ alone, as the paper has it ("predicates on σ and e"): that they agree with H, F and the contents is what the
 * soundness theorem says.
 *
 * Addresses: each block has 2^32 of them for itself, so that a pointer keeps its block however far it strays. NULL is
 * 0.
 */
import type { AbstractMachine, EventQuery, MachineBlock, MachineEvent, MachineFrame, MachinePointer, Occurrence } from '../../evaluate/machine.js';
import type { BlockState } from '../../language/core.js';
import { decompose } from './redex.js';
import { target, type Block, type BlockId, type Event, type State, type Target } from './state.js';
import { valueOf, valuesIn, type CalculusValue } from './syntax.js';

const BLOCK_SPAN = 32n;

function addressOf({ bid, index }: Target): bigint {
  return (BigInt(bid) << BLOCK_SPAN) + BigInt(index);
}

function addressOfValue(state: State, value: CalculusValue): bigint {
  const at = target(state, value);
  if (at !== undefined) return addressOf(at);
  return value.kind === 'integer' ? BigInt(value.n) : 0n;
}

/** What the machine is about to do, if it is a detection point. */
export function occurrenceOf(state: State): Occurrence | undefined {
  const redex = decompose(state.expression)?.redex;
  const address = (value: CalculusValue | undefined) => addressOfValue(state, value!);
  switch (redex?.kind) {
    case 'deref':
      return { kind: 'read', pointer: address(valueOf(redex.operand)), size: 1 };
    case 'assign':
      return { kind: 'write', pointer: address(valueOf(redex.left)), size: 1 };
    case 'free':
      return { kind: 'free', pointer: address(valueOf(redex.operand)), by: 'free' };
    case 'call': {
      const callee = valueOf(redex.left);
      return { kind: 'call', callee: callee?.kind === 'symbol' ? callee.name : '', args: [address(valueOf(redex.right))] };
    }
    case 'return':
      return { kind: 'ret', callee: redex.from, value: address(valueOf(redex.operand)) };
    default:
      return undefined;
  }
}

export class CalculusMachine implements AbstractMachine {
  constructor(private readonly state: State) {}

  now(): bigint {
    return BigInt(this.state.time);
  }

  blockOf(address: bigint): MachineBlock | undefined {
    return this.block((address + (1n << (BLOCK_SPAN - 1n))) >> BLOCK_SPAN);
  }

  block(bid: bigint): MachineBlock | undefined {
    return this.heapBlock(bid) ?? this.stackBlock(Number(bid));
  }

  private heapBlock(bid: bigint): MachineBlock | undefined {
    const id = Number(bid);
    let freed: { freedAt: bigint; freedBy: bigint; deallocator: string } | undefined;
    for (let at = this.state.trace; at !== undefined; at = at.before) {
      const { event, time } = at;
      if (event.kind === 'free' && event.bid === id) freed = { freedAt: BigInt(time), freedBy: addressOf(event.pointer), deallocator: 'free' };
      if (event.kind === 'malloc' && event.bid === id) return { bid, kind: 'heap', begin: bid << BLOCK_SPAN, size: BigInt(event.size), allocatedAt: BigInt(time), allocator: 'malloc', ...freed };
    }
    return undefined;
  }

  /** Locals leave no events in the paper's trace. */
  private stackBlock(id: BlockId): MachineBlock | undefined {
    const live = this.state.stack.findIndex((frame) => frame.has(id));
    const gone = this.state.freed.get(id);
    const block: Block | undefined = live < 0 ? gone?.block : this.state.stack[live]!.get(id);
    if (block === undefined || gone?.tag === 'h') return undefined;
    const bid = BigInt(id);
    return { bid, kind: live === 0 ? 'global' : 'stack', begin: bid << BLOCK_SPAN, size: BigInt(block.size), allocatedAt: BigInt(block.time), ...(live < 0 && { freedAt: this.now() }) };
  }

  *blocks(state: BlockState): Generator<MachineBlock> {
    const [globals, ...frames] = this.state.stack;
    const ids = { H: this.state.heap.keys(), F: this.state.freed.keys(), S: frames.flatMap((frame) => [...frame.keys()]), G: globals?.keys() ?? [] }[state];
    for (const id of ids) {
      const block = this.block(BigInt(id));
      if (block !== undefined) yield block;
    }
  }

  events(query: EventQuery, visit: (event: MachineEvent) => boolean): boolean {
    for (let at = this.state.trace; at !== undefined; at = at.before) {
      if (at.event.kind === query.kind && visit(this.event(at.event, BigInt(at.time)))) return true;
    }
    return false;
  }

  private event(event: Event, time: bigint): MachineEvent {
    const number = (value: CalculusValue) => addressOfValue(this.state, value);
    switch (event.kind) {
      case 'write':
        return { kind: 'write', time, pointer: addressOf(event.pointer), value: number(event.value), ...(event.origin.kind === 'from' && { origin: number(event.origin.place) }) };
      case 'branch':
        return { kind: 'branch', time, value: number(event.value) };
      case 'malloc':
        return { kind: 'malloc', time, size: BigInt(event.size), bid: BigInt(event.bid) };
      case 'free':
        return { kind: 'free', time, pointer: addressOf(event.pointer), bid: BigInt(event.bid) };
      case 'call':
        return { kind: 'call', time, callee: event.symbol, args: [number(event.value)] };
      default:
        return { kind: 'ret', time, callee: event.symbol, value: number(event.value) };
    }
  }

  /**
   * The paper keeps every pointer there ever was in P; live ones are those that the program or its memory still has.
   */
  pointers(bid: bigint | undefined, visit: (pointer: MachinePointer) => boolean): boolean {
    for (const value of this.liveValues()) {
      const at = target(this.state, value);
      if (at === undefined || (bid !== undefined && BigInt(at.bid) !== bid)) continue;
      if (visit({ pointer: addressOf(at), bid: BigInt(at.bid), index: BigInt(at.index) })) return true;
    }
    return false;
  }

  private *liveValues(): Generator<CalculusValue> {
    yield* valuesIn(this.state.expression);
    for (const blocks of [this.state.heap, ...this.state.stack]) {
      for (const { contents } of blocks.values()) for (const value of contents) if (value !== undefined) yield value;
    }
  }

  frames(): Iterable<MachineFrame> {
    return [];
  }

  value(address: bigint, bytes: number): bigint | undefined {
    if (bytes !== 1) return undefined;
    const block = this.blockOf(address);
    if (block === undefined) return undefined;
    const id = Number(block.bid);
    const contents = (this.state.heap.get(id) ?? this.state.freed.get(id)?.block ?? this.state.stack.find((frame) => frame.has(id))?.get(id))?.contents;
    const value = contents?.[Number(address - block.begin)];
    return value === undefined ? undefined : addressOfValue(this.state, value);
  }

  isInitialized(address: bigint, bytes: bigint): boolean {
    for (let i = 0n; i < bytes; i++) {
      const cell = address + i;
      if (!this.events({ kind: 'write', pointer: cell }, (event) => event.kind === 'write' && event.pointer === cell)) return false;
    }
    return true;
  }

  isAccessible(address: bigint, bytes: bigint): boolean {
    const block = this.blockOf(address);
    return block !== undefined && block.freedAt === undefined && address >= block.begin && address + bytes <= block.begin + block.size;
  }

  isReachable(bid: bigint): boolean {
    const reached = new Set<BlockId>();
    const waiting = [...valuesIn(this.state.expression), ...this.state.stack.flatMap((frame) => [...frame.values()].flatMap(({ contents }) => contents))];
    while (waiting.length > 0) {
      const value = waiting.pop();
      const at = value === undefined ? undefined : target(this.state, value);
      if (at === undefined || reached.has(at.bid)) continue;
      reached.add(at.bid);
      waiting.push(...(this.state.heap.get(at.bid)?.contents ?? []));
    }
    return reached.has(Number(bid));
  }

  family(functionName: string): string | undefined {
    return functionName === 'malloc' || functionName === 'free' ? 'malloc' : undefined;
  }
}
