/**
 * A finding as people and other tools read it: with stacks, the block's history, and the chains of the values that are
 * to blame.
 */
import { type GuestAddr, guestAddr } from '../../base/types.js';
import type { Debugger } from '../../debugger/control/debugger.js';
import { ValueFlow } from '../../flow/chain.js';
import type { Place } from '../../flow/copies/place.js';
import { type DescribedChain, describeChain } from '../../flow/describe.js';
import { isLocalAddress } from '../../layout/viewAddresses.js';
import { at, type Position } from '../../replay/log/position.js';
import type { Work } from '../../replay/timeline/work.js';
import type { Severity } from '../../rules/language/ast.js';
import type { FiredLocator } from '../../rules/evaluate/compileRule.js';
import type { Access } from '../../rules/evaluate/machine.js';
import type { Crash } from '../crashes/crash.js';
import { instructionAt } from '../crashes/instructionAt.js';
import type { Finding } from '../findings.js';
import type { Block, Moment } from '../heap/blocks.js';
import { accessAt, type ReportedAccess } from './access.js';
import { distance } from './distance.js';
import { framesOf, type ReportedFrame } from './frames.js';
import { type ReportedVariable, variableAt } from './undefinedOrigin.js';
import { passedPlace, pointerPlace, systemCallPlace } from './pointerPlace.js';

export type { ReportedAccess } from './access.js';
export type { ReportedFrame } from './frames.js';

export interface ReportedMoment {
  readonly time: number;
  /** The library function that did it. */
  readonly by: string;
  readonly stack: readonly ReportedFrame[];
}

export interface ReportedBlock {
  readonly size: number;
  readonly begin: number;
  /** From its begin to the address that this is about. */
  readonly offset: number | undefined;
  readonly allocated: ReportedMoment;
  readonly freed: ReportedMoment | undefined;
  /** It is a local variable. */
  readonly variable?: ReportedLocal;
}

interface ReportedLocal {
  readonly name: string;
  readonly function: string;
  /** Its function has returned. */
  readonly isGone: boolean;
}

export interface ReportedChain {
  /** `VPC(r)`. */
  readonly locator: string;
  /** What the chain is of, in words. */
  readonly of: string;
  readonly chain: DescribedChain;
}

/** Who did it, and how many others there were. */
export interface ReportedThread {
  /** As "info threads" numbers it. */
  readonly number: number;
  readonly tid: number;
  readonly pid: number;
  readonly threads: number;
  readonly processes: number;
}

export interface Report {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  readonly time: number;
  readonly thread: ReportedThread;
  readonly access: ReportedAccess | undefined;
  /** Empty for what was found when the program had ended. */
  readonly stack: readonly ReportedFrame[];
  /** Lines of the source around the place, if there are any. */
  readonly excerpt: ReportedExcerpt | undefined;
  readonly block: ReportedBlock | undefined;
  /** Of an undefined value: the variable on the stack that it was read from. */
  readonly variable?: ReportedVariable | undefined;
  /** The program has ended by it. */
  readonly crash?: Crash | undefined;
  readonly chains: readonly ReportedChain[];
  /** More of the same at the same place, of which nothing else is said; `bytes` of their blocks and of this one. */
  readonly alike: { readonly count: number; readonly bytes: number };
}

/** Lines of a file around one of them. */
export interface ReportedExcerpt {
  readonly frame: ReportedFrame;
  /** The number of the first line. */
  readonly first: number;
  readonly lines: readonly string[];
}

/** Links of a chain. */
const MOST_LINKS = 200;
/** Lines before and after the one that it is about. */
const CONTEXT = 2;
/** Things that the kernel may do between two instructions, of which we look at the state in between. */
const MOST_EVENTS = 8;

/** Moves through the recording of the run to see what there is to say. */
export class Reporter {
  private readonly flow: ValueFlow;

  constructor(
    private readonly debug: Debugger,
    private readonly work?: Work,
  ) {
    this.flow = new ValueFlow(debug.execution, debug.modules);
  }

  async report(finding: Finding, alike: Report['alike'] = { count: 0, bytes: finding.block?.size ?? 0 }): Promise<Report> {
    const { firing, moment, block, occurrence } = finding;
    const place = await this.placeOf(finding);
    const thread = this.threadOf(moment);
    const isAtEnd = occurrence.kind === 'exit';
    const access = occurrence.kind === 'read' || occurrence.kind === 'write' ? this.accessOf(finding, thread.id, occurrence) : undefined;
    const stack = isAtEnd ? [] : this.stackOf(thread.id);
    const variable = finding.origin === undefined || block !== undefined
      ? undefined
      : this.variableAt(thread.id, guestAddr(finding.origin));
    const origin = finding.origin ?? finding.pointer;
    const described = block && (await this.describe(block, 'pointer' in occurrence ? occurrence.pointer : origin === undefined ? undefined : BigInt(origin)));
    return {
      rule: firing.rule, severity: firing.severity, message: firing.message, time: moment.time, thread: thread.shown, access, stack,
      excerpt: this.excerptOf(isAtEnd ? (described?.allocated.stack ?? []) : stack),
      block: described,
      variable,
      crash: finding.crash,
      chains: await this.chains(finding, place),
      alike,
    };
  }

  private accessOf({ isKernels }: Finding, thread: number, { kind, pointer }: Access): ReportedAccess {
    return isKernels ? { kind, address: pointer, size: 0 } : accessAt(this.debug.state, thread, kind, pointer);
  }

  /** Who was about to do it. */
  async stackAt(finding: Finding): Promise<readonly ReportedFrame[]> {
    await this.placeOf(finding);
    return this.stackOf(this.threadOf(finding.moment).id);
  }

  /** Where a block was allocated: leaks are alike if it is the same. */
  async allocationStack({ allocated }: Block): Promise<readonly ReportedFrame[]> {
    return (await this.momentOf(allocated)).stack;
  }

  private async describe(block: Block, pointer: bigint | undefined): Promise<ReportedBlock> {
    return {
      size: block.size,
      begin: block.begin,
      offset: pointer === undefined ? undefined : Number(distance(block.begin, pointer)),
      allocated: await this.momentOf(block.allocated),
      freed: block.variable !== undefined ? undefined : block.freed && (await this.momentOf(block.freed)),
      ...(block.variable === undefined ? {} : { variable: { name: block.variable, function: block.allocated.by, isGone: block.freed !== undefined } }),
    };
  }

  private async momentOf(moment: Moment): Promise<ReportedMoment> {
    await this.debug.goTo(before(moment), this.work);
    return { time: moment.time, by: moment.by, stack: this.stackOf(this.threadOf(moment).id) };
  }

  private variableAt(thread: number, address: GuestAddr): ReportedVariable | undefined {
    const view = this.debug.program(thread);
    return view && variableAt(view, address);
  }

  private stackOf(thread: number): ReportedFrame[] {
    const view = this.debug.program(thread);
    return view === undefined ? [] : framesOf(view, this.debug.sources);
  }

  private excerptOf(stack: readonly ReportedFrame[]): ReportedExcerpt | undefined {
    const frame = stack.find((candidate) => candidate.isUsers && candidate.text !== undefined);
    const lines = frame?.file === undefined ? undefined : this.debug.sources.lines(frame.file);
    if (frame === undefined || lines === undefined) return undefined;
    const first = Math.max(1, frame.line - CONTEXT);
    return { frame, first, lines: lines.slice(first - 1, frame.line + CONTEXT) };
  }

  /** The recording's number of the thread where we stand; -1 if it is not there. */
  private threadOf({ tid, pid }: Moment): { readonly id: number; readonly shown: ReportedThread } {
    const { threads } = this.debug;
    const own = threads.filter((thread) => thread.pid === pid);
    const index = own.findIndex((thread) => thread.tid === tid);
    const processes = new Set(threads.map((thread) => thread.pid)).size;
    return { id: own[index]?.id ?? -1, shown: { number: index + 1, tid, pid, threads: own.length, processes } };
  }

  /** Goes to where the thread is about to do it: at that time the kernel may have acted before and after. */
  private async placeOf({ moment, rip, occurrence }: Pick<Finding, 'moment' | 'rip' | 'occurrence'>): Promise<Position> {
    const { time } = moment;
    if (occurrence.kind === 'exit') return at(time);
    const counts = Array.from({ length: MOST_EVENTS }, (_, i) => i);
    // What we stand in for has its effect then; a fault is what there is after all else.
    for (const done of occurrence.kind === 'free' ? counts : [Infinity, ...counts.toReversed()]) {
      await this.debug.goTo(at(time, done), this.work);
      if (this.debug.state.register(this.threadOf(moment).id, 'rip') === BigInt(rip)) return at(time, done);
    }
    await this.debug.goTo(at(time), this.work);
    return at(time);
  }

  private async chains(finding: Finding, place: Position): Promise<ReportedChain[]> {
    const chains: ReportedChain[] = [];
    for (const locator of finding.firing.locators) {
      const chain = await this.chain(finding, locator, place);
      if (chain !== undefined) chains.push({ locator: locator.text, of: valueName(finding, locator), chain });
    }
    return chains;
  }

  private async chain(finding: Finding, { from, value }: FiredLocator, here: Position): Promise<DescribedChain | undefined> {
    const { moment, block, occurrence, isKernels, crash } = finding;
    if (crash?.blamed === 'target' || crash?.blamed === 'divisor') return this.chainOfOperand(finding, crash, here);
    if (finding.from !== undefined && finding.origin !== undefined) return this.chainOfUndefined(finding, finding.from, finding.origin);
    const when = from === undefined ? moment : from.kind === 'free' ? block?.freed : undefined;
    if (when === undefined) return undefined;
    const position = from === undefined ? here : before(when);
    await this.debug.goTo(position, this.work);
    const thread = this.threadOf(when).id;
    const place = thread < 0 ? undefined : isKernels && from === undefined ? systemCallPlace(this.debug.state, thread, value) : this.placeIn(thread, from === undefined ? occurrence : undefined, value);
    if (place === undefined) return undefined;
    const endsAt = from === undefined && block?.freed === undefined && (occurrence.kind === 'read' || occurrence.kind === 'write') ? leaves(block) : undefined;
    const chain = await this.flow.origin(position, thread, place, { limit: MOST_LINKS, work: this.work, isPointer: from === undefined && 'pointer' in occurrence, ...(endsAt === undefined ? {} : { endsAt }) });
    return describeChain(this.flow, chain, this.debug.sources, this.work);
  }

  /** Back to where it was read from memory that had not been written. */
  private async chainOfUndefined({ moment, occurrence }: Finding, { place, rip, time }: NonNullable<Finding['from']>, origin: number): Promise<DescribedChain | undefined> {
    const position = await this.placeOf({ moment: { ...moment, time }, rip, occurrence });
    const thread = this.threadOf(moment).id;
    if (thread < 0 || this.debug.state.register(thread, 'rip') !== BigInt(rip)) return undefined;
    const until = (from: Place): boolean => from.kind === 'memory' && from.address <= origin && origin < from.address + from.size;
    if (until(place)) return undefined;
    const chain = await this.flow.origin(position, thread, place, { limit: MOST_LINKS, until, work: this.work });
    return describeChain(this.flow, chain, this.debug.sources, this.work);
  }

  /**
   * Of what an instruction has jumped to, or was about to divide by. A jump to where there is no code has happened; one
   * to what is no address has not.
   */
  private async chainOfOperand({ moment }: Finding, { blamed, address }: Crash, here: Position): Promise<DescribedChain | undefined> {
    const position = blamed === 'target' && address !== undefined ? at(moment.time - 1) : here;
    await this.debug.goTo(position, this.work);
    const thread = this.threadOf(moment).id;
    const { state } = this.debug;
    const rip = state.register(thread, 'rip');
    const instruction = rip === undefined ? undefined : instructionAt(rip, (place, length) => state.read(thread, place, length), ({ name }) => state.register(thread, name) ?? 0n);
    if (instruction?.operand === undefined) return undefined;
    const chain = await this.flow.origin(position, thread, instruction.operand, { limit: MOST_LINKS, work: this.work, isPointer: blamed === 'target' });
    return describeChain(this.flow, chain, this.debug.sources, this.work);
  }

  /** Where a value is that this is about; without an occurrence, it is the pointer of a free. */
  private placeIn(thread: number, occurrence: Finding['occurrence'] | undefined, value: bigint): Place | undefined {
    const { state } = this.debug;
    if (occurrence?.kind === 'ret' && state.register(thread, 'rsp') === value) {
      return { kind: 'memory', address: guestAddr(Number(value)), size: 8 };
    }
    if (occurrence?.kind === 'call' || occurrence?.kind === 'ret') return passedPlace(state, thread, occurrence.kind, value);
    const isFree = occurrence === undefined || occurrence.kind === 'free';
    return (isFree ? passedPlace(state, thread, 'call', value) : undefined) ?? pointerPlace(state, thread, isFree ? undefined : value);
  }
}

/** A library function that we stand in for is about to be executed. */
function before({ time }: Moment): Position {
  return at(time, 0);
}

/** Whether a pointer was moved out of its block: as long as it was inside there was nothing wrong with it. */
function leaves(block: Block | undefined): ((before: bigint, after: bigint) => boolean) | undefined {
  if (block === undefined) return undefined;
  const isInside = (pointer: bigint): boolean => pointer >= block.begin && pointer < block.begin + block.size;
  return (before, after) => isInside(before) && !isInside(after);
}

function valueName({ occurrence, block, crash }: Finding, { from, text }: FiredLocator): string {
  if (crash?.blamed === 'target') return 'the address that the program went to';
  if (crash?.blamed === 'divisor') return 'the divisor';
  if (from?.kind === 'free') return 'the pointer of the first free';
  if (occurrence.kind === 'free') return 'the pointer that is freed';
  if ('pointer' in occurrence) return block?.family === 'stack' && !isLocalAddress(Number(occurrence.pointer)) ? 'the index' : 'the pointer';
  if (occurrence.kind === 'use') return 'the value';
  return text.replace(/^VPC\((.*)\)$/, '$1');
}
