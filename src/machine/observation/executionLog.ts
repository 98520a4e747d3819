/**
 * The log that code with a log pass (ir/logPass.ts) writes into linear memory, kept exact: when the engine leaves a
 * block in the middle, the log is cut
 * to what has happened. So what is drained are whole blocks, or their beginnings, of which every instruction has
 * retired.
 */
import { type GuestAddr, guestAddr } from '../../base/types.js';
import { entriesBefore, type LoggedAccess, type LoggedBlock, LoggedBlocks } from '../../ir/loggedBlocks.js';
import { DF, FS_BASE, GS_BASE, RCX, RDI, RSI } from '../../layout/cpuState.js';
import { LOG_ADDRESSES, LOG_ADDRESSES_END, LOG_ADDRESSES_TOP, LOG_BIAS, LOG_BLOCKS, LOG_BLOCKS_TOP } from '../../layout/memoryMap.js';
import type { BlockPass } from '../../ir/blockPass.js';
import { logPass } from '../../ir/logPass.js';
import type { Cpu } from '../cpu.js';
import type { KnownCode } from '../knownCode/knownCode.js';
import type { LinearMemory } from '../linearMemory.js';
import type { Log } from './log.js';

const BLOCK_BYTES = 4;
const ADDRESS_BYTES = 8;

/**
 * Memory that a repeated string instruction has accessed before it was interrupted: the instruction has not retired.
 */
export interface PartialAccess {
  readonly instruction: GuestAddr;
  /** Of the lowest byte. */
  readonly address: GuestAddr;
  readonly bytes: number;
  readonly isWrite: boolean;
}

/** What is to be observed, and by whom. */
export interface Observation {
  readonly sink: LogSink;
  /** Also the addresses that are accessed. */
  readonly addresses: boolean;
}

/** Where the log goes. */
export interface LogSink {
  /**
   * Code has logged numbers of blocks, and addresses for them: of each block as many as it has entries. The arrays are
   * good until the call returns.
   * `retired`: instructions that the engine has retired with the last of them. `known` says what the numbers stand for.
   */
  ran(blocks: Uint32Array, addresses: Float64Array, retired: number, known: LoggedBlocks): void;
  /** After what was told to `ran`, an instruction has done a part of its work. */
  interrupted(accesses: readonly PartialAccess[], retired: number): void;
}

/** Code that logs is known by all who share known code: so they have the numbers of blocks in common. */
const numbers = new WeakMap<KnownCode, { readonly blocks: LoggedBlocks; readonly withAddresses: LoggedBlocks }>();

function loggedBlocksOf(known: KnownCode, addresses: boolean): LoggedBlocks {
  let both = numbers.get(known);
  if (both === undefined) numbers.set(known, (both = { blocks: new LoggedBlocks(), withAddresses: new LoggedBlocks() }));
  return addresses ? both.withAddresses : both.blocks;
}

export class ExecutionLog implements Log {
  readonly pass: BlockPass;
  readonly blocks: LoggedBlocks;
  private readonly sink: LogSink;
  private readonly addresses: Float64Array;

  constructor(
    private readonly linear: LinearMemory,
    private readonly cpu: Cpu,
    known: KnownCode,
    { sink, addresses }: Observation,
  ) {
    this.sink = sink;
    this.blocks = loggedBlocksOf(known, addresses);
    this.pass = logPass(this.blocks, addresses);
    this.addresses = new Float64Array(linear.memory.buffer, LOG_ADDRESSES, (LOG_ADDRESSES_END - LOG_ADDRESSES) / ADDRESS_BYTES);
    this.empty();
  }

  /**
   * The block that was entered last was left before its last `unretired` instructions. `retired`: instructions until
   * then.
   */
  left(unretired: number, retired: number): void {
    const { u32 } = this.linear;
    const last = (this.blockTop - BLOCK_BYTES) / 4;
    const number = u32[last] as number;
    const block = this.blocks.get(number);
    const done = block.lengths.length - unretired;
    this.addressTop -= (block.entries - entriesBefore(block, done)) * ADDRESS_BYTES;
    if (done > 0) u32[last] = this.blocks.prefixOf(number, done);
    else this.blockTop -= BLOCK_BYTES;
    const repeated = block.accesses.filter(({ instruction, count }) => instruction === done && count !== undefined);
    if (repeated.length > 0) this.interrupted(block, done, repeated, retired);
  }

  drain(retired: number): void {
    const [blocks, addresses] = [this.blockTop, this.addressTop];
    if (blocks === LOG_BLOCKS) return;
    this.empty();
    this.sink.ran(this.linear.u32.subarray(LOG_BLOCKS / 4, blocks / 4), this.addresses.subarray(0, (addresses - LOG_ADDRESSES) / ADDRESS_BYTES), retired, this.blocks);
  }

  private interrupted(block: LoggedBlock, instruction: number, accesses: readonly LoggedAccess[], retired: number): void {
    const [first] = accesses as [LoggedAccess];
    // What it was about to do is still in its place, behind the end of the log.
    const at = (this.addressTop - LOG_ADDRESSES) / ADDRESS_BYTES - first.entry;
    const read = (entry: number): number => this.addresses[at + entry] as number;
    const isDownward = this.cpu.lo(DF) !== 0;
    const elements = read(first.count as number) - this.cpu.signed(RCX);
    if (!(elements > 0) || !this.hasMoved(accesses, read, isDownward ? -elements : elements)) return;
    const address = block.lengths.subarray(0, instruction).reduce((sum, length) => sum + length, block.start);
    this.drain(retired);
    this.sink.interrupted(accesses.map(({ bytes, isWrite, entry }) => ({
      instruction: guestAddr(address),
      address: guestAddr(read(entry) - (isDownward ? (elements - 1) * bytes : 0)),
      bytes: elements * bytes,
      isWrite,
    })), retired);
  }

  /**
   * Whether the registers say so, too: if the instruction was not begun at all, what is behind the end of the log is of
   * something else.
   */
  private hasMoved(accesses: readonly LoggedAccess[], read: (entry: number) => number, by: number): boolean {
    const { cpu } = this;
    const source = cpu.num(RSI);
    const pointers = [cpu.num(RDI), source, source + cpu.num(FS_BASE), source + cpu.num(GS_BASE)];
    return accesses.every(({ bytes, entry }) => pointers.includes(read(entry) + by * bytes));
  }

  private empty(): void {
    this.blockTop = LOG_BLOCKS;
    this.addressTop = LOG_ADDRESSES;
  }

  private get blockTop(): number {
    return this.linear.u32[LOG_BLOCKS_TOP / 4] as number;
  }

  private set blockTop(top: number) {
    this.linear.u32[LOG_BLOCKS_TOP / 4] = top;
  }

  private get addressTop(): number {
    return (this.linear.u32[LOG_ADDRESSES_TOP / 4] as number) + LOG_BIAS;
  }

  private set addressTop(top: number) {
    this.linear.u32[LOG_ADDRESSES_TOP / 4] = top - LOG_BIAS;
  }
}
