/**
 * Hits as numbers: there may be millions, and objects are slow to send to another thread and take much memory while
 * they wait. What a hit may have several of (conditions, accesses) comes with its count.
 */
import { guestAddr, time } from '../../../base/types.js';
import type { Condition, Hit, MemoryAccess } from '../conditions.js';

/** Hits in order. */
export interface Hits extends Iterable<Hit> {
  readonly length: number;
}

const KINDS = ['address', 'memory', 'block', 'syscall', 'return', 'process', 'signal', 'switch', 'time'] as const satisfies readonly Condition['kind'][];
/** Of an access, beside its address and length. */
const [WRITE, KERNEL] = [1, 2];
/** What else a hit has. */
const HAS = { SYSCALL: 1, RESULT: 2, SIGNAL: 4, FAULT: 8, MADE: 16, EXECUTES: 32, BLOCK_MADE: 64, BLOCK_GONE: 128 } as const;

export class PackedHits implements Hits {
  /** `numbers`: how many there are, then one after the other. */
  constructor(private readonly numbers: Float64Array) {}

  get length(): number {
    return this.numbers[0] ?? 0;
  }

  *[Symbol.iterator](): Generator<Hit> {
    const { numbers } = this;
    let next = 1;
    const take = (): number => numbers[next++] as number;
    for (let i = this.length; i > 0; i--) yield readHit(take);
  }
}

function readHit(take: () => number): Hit {
  const position = { time: time(take()), done: take() };
  const [kind, task, rip, has] = [KINDS[take()] ?? 'address', take(), guestAddr(take()), take()];
  const conditions = several(take, take);
  const [access, ...others] = several(take, () => readAccess(take));
  // Plain literals: spreading takes longer than all the rest.
  if (has === 0 && access === undefined) return { kind, position, conditions, task, rip };
  if (has === 0 && access !== undefined && others.length === 0) return { kind, position, conditions, task, rip, access };
  return {
    kind, position, conditions, task, rip,
    ...(access === undefined ? {} : { access }), ...(others.length === 0 ? {} : { alsoAccessed: others }),
    ...((has & HAS.SYSCALL) === 0 ? {} : { syscall: take() }), ...((has & HAS.RESULT) === 0 ? {} : { result: take() }), ...((has & HAS.SIGNAL) === 0 ? {} : { signal: take() }),
    ...((has & HAS.FAULT) === 0 ? {} : { isFault: true }),
    ...((has & HAS.MADE) === 0 ? {} : { process: { how: 'made', pid: take() } as const }), ...((has & HAS.EXECUTES) === 0 ? {} : { process: { how: 'executes' } as const }),
    ...((has & (HAS.BLOCK_MADE | HAS.BLOCK_GONE)) === 0 ? {} : { block: { how: (has & HAS.BLOCK_MADE) === 0 ? 'gone' : 'made', view: { begin: take(), size: take(), real: take() } } as const }),
  };
}

function several<T>(take: () => number, read: () => T): T[] {
  const all: T[] = [];
  for (let count = take(); count > 0; count--) all.push(read());
  return all;
}

function readAccess(take: () => number): MemoryAccess {
  const [address, bytes, flags] = [guestAddr(take()), take(), take()];
  return { address, bytes, write: (flags & WRITE) !== 0, by: (flags & KERNEL) === 0 ? 'program' : 'kernel' };
}

export function packHits(hits: readonly Hit[]): Float64Array<ArrayBuffer> {
  const numbers: number[] = [hits.length];
  for (const hit of hits) {
    const { kind, position, conditions, task, rip, access, alsoAccessed = [], syscall, result, signal, process, block } = hit;
    const accesses = access === undefined ? [] : [access, ...alsoAccessed];
    numbers.push(position.time, position.done, KINDS.indexOf(kind), task, rip, partsOf(hit));
    numbers.push(conditions.length, ...conditions);
    numbers.push(accesses.length);
    for (const { address, bytes, write, by } of accesses) numbers.push(address, bytes, (write ? WRITE : 0) | (by === 'kernel' ? KERNEL : 0));
    if (syscall !== undefined) numbers.push(syscall);
    if (result !== undefined) numbers.push(result);
    if (signal !== undefined) numbers.push(signal);
    if (process?.how === 'made') numbers.push(process.pid);
    if (block !== undefined) numbers.push(block.view.begin, block.view.size, block.view.real);
  }
  return Float64Array.from(numbers);
}

function partsOf({ syscall, result, signal, isFault, process, block }: Hit): number {
  return (syscall === undefined ? 0 : HAS.SYSCALL) | (result === undefined ? 0 : HAS.RESULT) | (signal === undefined ? 0 : HAS.SIGNAL) | (isFault === true ? HAS.FAULT : 0)
    | (process === undefined ? 0 : process.how === 'made' ? HAS.MADE : HAS.EXECUTES)
    | (block === undefined ? 0 : block.how === 'made' ? HAS.BLOCK_MADE : HAS.BLOCK_GONE);
}
