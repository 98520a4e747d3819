/** A finding as people and other tools read it: with stacks, the block's history, and the chains of the values that are to blame. */
import type { Debugger } from '../../debugger/control/debugger.js';
import type { VisibleFrame } from '../../debugger/program/visibleFrame.js';
import { ValueFlow } from '../../flow/chain.js';
import { type DescribedChain, describeChain } from '../../flow/describe.js';
import { at } from '../../replay/play/position.js';
import type { Work } from '../../replay/timeline/work.js';
import type { Severity } from '../../rules/language/ast.js';
import type { FiredLocator } from '../../rules/evaluate/compileRule.js';
import type { Finding } from '../findings.js';
import type { Block, Moment } from '../heap/blocks.js';
import { pointerPlace } from './pointerPlace.js';

export interface ReportedFrame {
  readonly function: string | undefined;
  readonly file: string | undefined;
  /** 0 if not known. */
  readonly line: number;
  /** The line itself, if its file can be found. */
  readonly text: string | undefined;
  readonly address: bigint;
}

export interface ReportedMoment {
  readonly time: number;
  readonly by: string;
  readonly stack: readonly ReportedFrame[];
}

export interface ReportedBlock {
  readonly size: number;
  /** From its begin to the address that this is about. */
  readonly offset: number | undefined;
  readonly allocated: ReportedMoment;
  readonly freed: ReportedMoment | undefined;
}

export interface ReportedChain {
  /** `VPC(r)`. */
  readonly locator: string;
  readonly chain: DescribedChain;
}

export interface Report {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  readonly time: number;
  readonly tid: number;
  readonly pid: number;
  readonly stack: readonly ReportedFrame[];
  readonly block: ReportedBlock | undefined;
  readonly chains: readonly ReportedChain[];
}

/** Frames that are shown of a stack. */
const MOST_FRAMES = 30;
/** Links of a chain. */
const MOST_LINKS = 200;

/** Moves through the recording of the run to see what there is to say. */
export class Reporter {
  private readonly flow: ValueFlow;

  constructor(
    private readonly debug: Debugger,
    private readonly work?: Work,
  ) {
    this.flow = new ValueFlow(debug.execution, debug.modules);
  }

  async report(finding: Finding): Promise<Report> {
    const { firing, moment, block, occurrence } = finding;
    const pointer = 'pointer' in occurrence ? Number(occurrence.pointer) : undefined;
    return {
      rule: firing.rule, severity: firing.severity, message: firing.message, time: moment.time, tid: moment.tid, pid: moment.pid,
      stack: await this.stackAt(moment),
      block: block && (await this.describe(block, pointer)),
      chains: await this.chains(finding),
    };
  }

  private async describe(block: Block, pointer: number | undefined): Promise<ReportedBlock> {
    return {
      size: block.size,
      offset: pointer === undefined ? undefined : pointer - block.begin,
      allocated: await this.momentOf(block.allocated),
      freed: block.freed && (await this.momentOf(block.freed)),
    };
  }

  private async momentOf(moment: Moment): Promise<ReportedMoment> {
    return { time: moment.time, by: moment.by, stack: await this.stackAt(moment) };
  }

  private async stackAt(moment: Moment): Promise<ReportedFrame[]> {
    const thread = await this.goTo(moment);
    const frames = thread === undefined ? undefined : this.debug.backtraceOf(thread)?.frames(MOST_FRAMES);
    return (frames ?? []).map((frame) => this.frame(frame));
  }

  private frame(frame: VisibleFrame): ReportedFrame {
    const { line, path } = frame;
    const text = path === undefined || line === 0 ? undefined : this.debug.sources.lines(path)?.[line - 1];
    return { function: frame.functionName, file: path ?? frame.fileName, line, text, address: frame.pc };
  }

  /** The recording's number of the thread, if it is there. */
  private async goTo({ time, tid }: Moment): Promise<number | undefined> {
    await this.debug.goTo(at(time, 0), this.work);
    return this.debug.threads.find((thread) => thread.tid === tid)?.id;
  }

  private async chains(finding: Finding): Promise<ReportedChain[]> {
    const chains: ReportedChain[] = [];
    for (const locator of finding.firing.locators) {
      const chain = await this.chain(finding, locator);
      if (chain !== undefined) chains.push({ locator: locator.text, chain });
    }
    return chains;
  }

  private async chain({ moment, block, occurrence }: Finding, { from, value }: FiredLocator): Promise<DescribedChain | undefined> {
    const when = from === undefined ? moment : from.kind === 'free' ? block?.freed : undefined;
    const thread = when === undefined ? undefined : await this.goTo(when);
    if (when === undefined || thread === undefined) return undefined;
    const place = pointerPlace(this.debug.state, thread, from === undefined && occurrence.kind !== 'free' ? value : undefined);
    if (place === undefined) return undefined;
    const chain = await this.flow.origin(at(when.time, 0), thread, place, { limit: MOST_LINKS, work: this.work });
    return describeChain(this.flow, chain, this.debug.sources, this.work);
  }
}
