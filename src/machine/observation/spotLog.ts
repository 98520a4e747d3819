/**
 * The log of what happens at spots, which code with a spot pass (ir/spotPass.ts) writes into linear memory: stores to
 * some memory, with what was stored, places of the code that are come to, calls of functions and their results. Code
 * that comes near none of them runs almost as it is.
 *
 * Which memory that is stands in two tables: one with a byte for every 64 bytes, which every store looks at, and one
 * with a bit for every eight.
 */
import { DF, RCX, RDI } from '../../layout/cpuState.js';
import {
  GUEST_BASE, GUEST_SPACE_SIZE, SPOT_BITS, SPOT_ENTRY, SPOT_ENTRY_BYTES, SPOT_LINE, SPOT_LINES, SPOT_LOG, SPOT_LOG_TOP, SPOT_REPEATED, SPOT_REPEATED_AT, SPOT_REPEATED_COUNT, SPOT_RETURN_ENTRIES, SPOT_RETURNS, SPOT_TIME, SPOT_UNIT,
} from '../../layout/memoryMap.js';
import type { BlockPass } from '../../ir/blockPass.js';
import { type CodeSpots, spotPass } from '../../ir/spotPass.js';
import { type SpotSite, SpotSites } from '../../ir/spotSites.js';
import type { Cpu } from '../cpu.js';
import type { KnownCode } from '../knownCode/knownCode.js';
import type { LinearMemory } from '../linearMemory.js';
import type { AddressInterval } from '../watchedRanges.js';
import type { Log } from './log.js';

const CONTENT = 16;
/** A store goes at most so far over the end of a line. */
const ALL_SET = 255;

/** What is asked for. */
export interface Spots extends CodeSpots {
  /** Memory whose stores are told of; none: no store is looked at. */
  readonly memory: readonly AddressInterval[];
}

/**
 * Told of what happened, in order. Times are instructions that the engine had retired before the instruction. What is
 * told in the middle of generated code: it may only listen. What is about to happen may be told twice in a row.
 */
export interface SpotSink {
  /** Bytes were stored; they are in `content` from `at` on, until the call returns. Of larger stores, parts. */
  stored(time: number, instruction: number, address: number, bytes: number, content: DataView, at: number): void;
  /** An instruction is about to be executed; a function is called, or about to return, with the result in `first`. */
  came(kind: 'pass' | 'call' | 'return', time: number, instruction: number, registers: SpotRegisters): void;
}

/** As signed numbers; exact for addresses. */
export interface SpotRegisters {
  readonly rsp: number;
  /** What is on top of the stack. */
  readonly top: number;
  /** Of a return rax, else rdi. */
  readonly first: number;
  /** rsi and rdx; 0 for a return. */
  readonly second: number;
  readonly third: number;
}

export interface SpotObservation {
  readonly spots: Spots;
  readonly sink: SpotSink;
}

/** Code that logs is known by all who share known code: so they have the numbers of sites in common. */
const numbers = new WeakMap<KnownCode, SpotSites>();

function sitesOf(known: KnownCode): SpotSites {
  let sites = numbers.get(known);
  if (sites === undefined) numbers.set(known, (sites = new SpotSites()));
  return sites;
}

export class SpotLog implements Log {
  readonly pass: BlockPass;
  private readonly sites: SpotSites;

  constructor(
    private readonly linear: LinearMemory,
    private readonly cpu: Cpu,
    known: KnownCode,
    private readonly observation: SpotObservation,
  ) {
    const { spots } = observation;
    this.sites = sitesOf(known);
    this.pass = spotPass(this.sites, spots, spots.memory.length > 0);
    this.mark(true);
    linear.u32.fill(0, SPOT_RETURNS / 4, SPOT_RETURNS / 4 + SPOT_RETURN_ENTRIES * 2);
    linear.u32[SPOT_REPEATED / 4] = 0;
    linear.u32[SPOT_LOG_TOP / 4] = SPOT_LOG;
  }

  close(): void {
    this.mark(false);
  }

  /** The ticks that are left are to be taken off `time`. */
  ticksAreOf(time: number): void {
    this.linear.view.setFloat64(SPOT_TIME, time, true);
  }

  /** A repeated string instruction may have been left in the middle. */
  left(_unretired: number, retired: number): void {
    const { linear, cpu } = this;
    const site = linear.u32[SPOT_REPEATED / 4] as number;
    if (site === 0) return;
    linear.u32[SPOT_REPEATED / 4] = 0;
    const { instruction } = this.sites.get(site - 1);
    this.drain();
    const elements = Number(linear.view.getBigInt64(SPOT_REPEATED_COUNT, true)) - cpu.signed(RCX);
    if (elements > 0) this.interrupted(retired, instruction, Number(linear.view.getBigInt64(SPOT_REPEATED_AT, true)), elements);
  }

  drain(): void {
    const { linear, observation: { sink } } = this;
    const end = linear.u32[SPOT_LOG_TOP / 4] as number;
    linear.u32[SPOT_LOG_TOP / 4] = SPOT_LOG;
    for (let entry = SPOT_LOG; entry < end; entry += SPOT_ENTRY_BYTES) this.tell(sink, entry, this.sites.get(linear.u32[(entry + SPOT_ENTRY.SITE) / 4] as number));
  }

  private tell(sink: SpotSink, entry: number, { kind, instruction, unretired }: SpotSite): void {
    const { view, u32 } = this.linear;
    const time = view.getFloat64(entry + SPOT_ENTRY.TIME, true) - unretired;
    const address = view.getFloat64(entry + SPOT_ENTRY.ADDRESS, true);
    if (kind === 'store') {
      const beyond = Math.max(0, (address % GUEST_SPACE_SIZE) - (GUEST_SPACE_SIZE - CONTENT));
      sink.stored(time, instruction, address, u32[(entry + SPOT_ENTRY.LENGTH) / 4] as number, view, entry + SPOT_ENTRY.CONTENT + beyond);
      return;
    }
    const isReturn = kind === 'return';
    sink.came(kind, time, instruction, {
      rsp: address,
      top: view.getFloat64(entry + SPOT_ENTRY.RETURN_TO, true),
      first: view.getFloat64(entry + SPOT_ENTRY.FIRST, true),
      second: isReturn ? 0 : view.getFloat64(entry + SPOT_ENTRY.SECOND, true),
      third: isReturn ? 0 : view.getFloat64(entry + SPOT_ENTRY.THIRD, true),
    });
  }

  /** What it has stored so far; all elements lie where one is a spot, or elsewhere: the sink looks itself. */
  private interrupted(retired: number, instruction: number, first: number, elements: number): void {
    const { linear, cpu, observation: { sink } } = this;
    const bytes = Math.abs(cpu.num(RDI) - first);
    const start = cpu.lo(DF) === 0 ? first : first - (bytes - bytes / elements);
    for (let done = 0; done < bytes; done += CONTENT) {
      const address = start + done;
      sink.stored(retired, instruction, address, Math.min(CONTENT, bytes - done), linear.view, GUEST_BASE + (address % GUEST_SPACE_SIZE));
    }
  }

  private mark(isOne: boolean): void {
    const { u8 } = this.linear;
    for (const { start, end } of this.observation.spots.memory) {
      if (end <= start) continue;
      const from = start % GUEST_SPACE_SIZE;
      const to = Math.min(from + (end - start), GUEST_SPACE_SIZE);
      u8.fill(isOne ? ALL_SET : 0, SPOT_LINES + Math.floor(from / SPOT_LINE), SPOT_LINES + Math.ceil(to / SPOT_LINE));
      for (let unit = Math.floor(from / SPOT_UNIT); unit < to / SPOT_UNIT; unit++) {
        const at = SPOT_BITS + (unit >> 3);
        const bit = 1 << (unit & 7);
        u8[at] = isOne ? (u8[at] as number) | bit : (u8[at] as number) & ~bit;
      }
    }
  }
}
