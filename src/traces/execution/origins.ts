/**
 * Where values come from (src/flow), for scripts. Following a value back takes a while and lets others run meanwhile.
 */
import { UserError } from '../../base/errors.js';
import { Backtrace } from '../../debugger/program/backtrace.js';
import type { ProgramView } from '../../debugger/program/programView.js';
import { type Chain, type LinkKind, ValueFlow } from '../../flow/chain.js';
import { chainText, how } from '../../flow/chainText.js';
import { type DescribedChain, describeChain, type SourceLink } from '../../flow/describe.js';
import { viewOf } from '../../flow/ownCode.js';
import { type Question, questionOf } from '../../flow/question.js';
import { at, type Position } from '../../replay/log/position.js';
import type { MemoryRange } from '../../replay/timeline/conditions.js';
import type { Work } from '../../replay/timeline/work.js';
import type { Scene } from './scene.js';
import type { SecondExecution } from './secondExecution.js';
import { Snapshot } from './snapshot.js';
import type { Value } from './value.js';

/** One source line that handed the value on. */
export interface OriginLink {
  readonly time: number;
  /** Right before it. */
  readonly snapshot: Snapshot;
  readonly kind: LinkKind;
  /** In words: `from p->next`, `the result of malloc ()`. */
  readonly how: string;
  readonly function: string | undefined;
  readonly file: string | undefined;
  /** 0 if not known. */
  readonly line: number;
  readonly text: string | undefined;
  /** What it was put into, and taken from, as the source calls it. */
  readonly target: string | undefined;
  readonly source: string | undefined;
  /** As gdb prints it. */
  readonly value: string;
}

/**
 * The lines that a value went through, the latest first, back to where it was made. Written as text it is what `culprit
 * origin` shows.
 */
export class Origin {
  constructor(
    /** As gdb prints it. */
    readonly value: string,
    readonly links: readonly OriginLink[],
    /** Whether the last link is where the value was made. */
    readonly isComplete: boolean,
    private readonly lines: readonly string[],
  ) {}

  /** Where the value was made, as far as it was looked for. */
  get made(): OriginLink | undefined {
    return this.links.at(-1);
  }

  toString(): string {
    return this.lines.join('\n');
  }

  toJSON(): unknown {
    return { value: this.value, isComplete: this.isComplete, links: this.links.map(({ snapshot: _, ...link }) => link) };
  }
}

export interface OriginOptions {
  /** Links of instructions at most. */
  readonly limit?: number;
}

export class Origins {
  private flow: ValueFlow | undefined;

  constructor(
    private readonly scene: Scene,
    private readonly second: SecondExecution,
    private readonly work: Work | undefined,
  ) {}

  ofValue(value: Value, options: OriginOptions): Promise<Origin> {
    return this.next(async (flow) => {
      const { where: { moment, frame: level }, recipe } = value.way;
      const program = await this.programAt(flow, moment.position, moment.task);
      const backtrace = new Backtrace(program);
      const question = await questionOf(value.expression, recipe, backtrace, backtrace.frame(level), flow.execution, this.work);
      return this.follow(flow, question, value.expression, options);
    });
  }

  /** Of bytes of memory at a time. */
  ofRange({ start, end }: MemoryRange, name: string, time: number, options: OriginOptions): Promise<Origin> {
    return this.next(async (flow) => {
      const { thread } = await this.programAt(flow, at(time), undefined);
      const place = { kind: 'memory', address: start, size: end - start } as const;
      const value = `0x${flow.valueOf(place, thread.id).toString(16)}`;
      return this.follow(flow, { place, thread: thread.id, position: at(time), value }, name, options);
    });
  }

  private async next(find: (flow: ValueFlow) => Promise<Origin>): Promise<Origin> {
    return this.second.use((execution) => {
      this.flow ??= new ValueFlow(execution, this.scene.modules);
      return find(this.flow);
    });
  }

  private async programAt({ execution, modules }: ValueFlow, position: Position, task: number | undefined): Promise<ProgramView> {
    await execution.seek(position, this.work);
    const { state } = execution;
    const thread = task ?? (state.current ?? state.threads[0])?.id;
    const program = thread === undefined ? undefined : viewOf(state, thread, modules);
    if (program === undefined) throw new UserError(`no program at time ${position.time}: it has ended`);
    return program;
  }

  private async follow(flow: ValueFlow, { place, thread, position, value }: Question, name: string, { limit }: OriginOptions): Promise<Origin> {
    const chain: Chain = await flow.origin(position, thread, place, { work: this.work, ...(limit === undefined ? {} : { limit }) });
    const described: DescribedChain = await describeChain(flow, chain, this.scene.sources, this.work);
    const links = described.links.map((link, i) => this.link(link, described.links[i + 1]));
    return new Origin(value, links, described.isComplete, [`${name} = ${value}`, ...chainText(described)]);
  }

  private link(link: SourceLink, next: SourceLink | undefined): OriginLink {
    const { time, kind, functionName, fileName, line, text, target, source, value, thread } = link;
    return {
      time, snapshot: new Snapshot(this.scene, at(time), { task: thread }), kind, how: how(link, next), function: functionName, file: fileName, line, text: text?.trim(), target, source, value,
    };
  }
}
