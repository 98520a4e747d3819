/** The slices that a session has made, by their numbers. */
import { UserError } from '../base/errors.js';
import { statementName } from '../debugger/program/statements.js';
import { parseStatement } from '../debugger/program/statementText.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { Work } from '../replay/timeline/work.js';
import { hasCrashed, linePredicate, type SliceQuestion, sliceQuestion } from './criteria.js';
import type { SliceFilter } from './filters.js';
import { type MemberArrivals, memberArrivals } from './memberArrivals.js';
import { filterFor } from './pruning.js';
import { lookedAt, type RecordLimit } from './recordLimits.js';
import type { MemberTimes } from './memberTimes.js';
import type { Slice } from './slice.js';
import { combined, leadingTo, type SetOperation } from './sliceSets.js';
import { type SliceOptions, type SlicePart, Slices, type TimedSlice } from './slices.js';
import { standingInstance } from './standingInstance.js';
import type { SliceSubject } from './subject.js';
import type { CodeInstruction } from './trace/codeTable.js';

export interface NumberedSlice {
  readonly number: number;
  readonly slice: Slice;
  /** When its members were: looked for when that is asked for first. */
  readonly times: (work?: Work) => Promise<MemberTimes>;
  /** What it is a slice of; only then it can be pruned. */
  readonly origin: { readonly question: SliceQuestion; readonly options: SliceOptions; readonly filters: readonly SliceFilter[] } | undefined;
  readonly execution: Execution;
}

export class SliceTable {
  readonly slices: Slices;
  /** What is looked at; empty: everything. */
  limits: RecordLimit[] = [];
  private readonly known = new Map<number, NumberedSlice>();
  private readonly arrivals = new WeakMap<NumberedSlice, MemberArrivals>();
  private next = 1;

  constructor(private readonly subject: SliceSubject) {
    this.slices = new Slices(subject);
  }

  get all(): readonly NumberedSlice[] {
    return [...this.known.values()];
  }

  /** The one that was made last. */
  get last(): NumberedSlice {
    const last = this.all.at(-1);
    if (last === undefined) throw new UserError('there are no slices: "slice" makes one');
    return last;
  }

  /** By what the user wrote. */
  get(text: string): NumberedSlice {
    const found = /^\d+$/.test(text) ? this.known.get(Number(text)) : undefined;
    if (found === undefined) throw new UserError(`there is no slice ${text}: "info slices" lists them`);
    return found;
  }

  delete(text: string): void {
    this.known.delete(this.get(text).number);
  }

  /** Of the crash or of the line where it stands, if nothing is said. */
  async backward(words: readonly string[], options: SliceOptions, work?: Work): Promise<NumberedSlice> {
    return this.walk(await this.question(words, work), options, [], work);
  }

  /** The same slice without what is due to something. */
  async prune(number: string, words: readonly string[], work?: Work): Promise<NumberedSlice> {
    const { origin } = this.get(number);
    if (origin === undefined) throw new UserError(`slice ${number} was loaded, or made of other slices: prune those that "slice" has made`);
    if (words.length === 0) throw new UserError('say what to leave out: a variable, $REGISTER, FILE:LINE or a function');
    const added: SliceFilter[] = [];
    for (const word of words) added.push(await filterFor(this.subject, word, work));
    return this.walk(origin.question, origin.options, [...origin.filters, ...added], work);
  }

  /**
   * What of the slice of a statement depends on another statement: the instances that its forward slice and the
   * backward slice have in common. On the way from a member to the statement everything is influenced by the first one,
   * too, so it is the backward walk through what is.
   */
  async chop(from: string, to: string, options: SliceOptions, work?: Work): Promise<NumberedSlice> {
    const { subject } = this;
    const parsed = parseStatement(from);
    if (parsed === undefined || parsed.instance !== undefined) throw new UserError(`${from} is no line: write FILE:LINE or FILE:LINE.K`);
    const statement = await subject.named.statement(parsed, subject.instanceRun, { currentPath: subject.frame?.path, work });
    const question = await this.question([to], work);
    const thread = subject.thread?.id ?? 0;
    const isOf = await linePredicate(subject, statement, thread, subject.position);
    const looked = await lookedAt(subject, this.limits, work);
    const seeds = { from: subject.execution.start.time, to: question.to.time, isSeed: (time: number, { address }: CodeInstruction) => time < question.to.time && isOf(address) };
    const isInfluenced = await this.slices.influenced(seeds, options, question.to, work);
    const isLookedAt = isInfluenced === undefined ? looked : (time: number): boolean => isInfluenced(time) && looked?.(time) !== false;
    const limits = { filters: [], isLookedAt, isStrict: isInfluenced !== undefined };
    const asked = { ...question, title: `${from} to ${question.title}` };
    // Of more instances than there is room for, lines that lead there.
    const part: SlicePart = (found, programs) => isInfluenced !== undefined ? { ...found, inputs: [] } : leadingTo(found, (node) => {
      const one = programs.table.instructions[node] as CodeInstruction | undefined;
      return one !== undefined && isOf(one.address);
    });
    const slice = await this.slices.answer(asked, options, work, limits, part);
    if (slice.members.length === 0) throw new UserError(`${question.title} does not depend on ${from}`);
    return this.add(slice, (own) => this.slices.times(slice, asked, options, own, limits, part), undefined);
  }

  /** What a statement had an influence on. */
  async forward(statement: string, options: SliceOptions, work?: Work): Promise<NumberedSlice> {
    if (this.limits.length > 0) throw new UserError('forward slices look at the whole run: "record all" first');
    return this.addTimed(await this.slices.timedForward(statement, options, work));
  }

  async combine(operation: SetOperation, a: string, b: string, work?: Work): Promise<NumberedSlice> {
    const [x, y] = [this.get(a), this.get(b)];
    if (x.execution !== y.execution) throw new UserError(`slices ${a} and ${b} are of different runs`);
    const timed = async ({ slice, times }: NumberedSlice): Promise<TimedSlice> => ({ slice, times: await times(work) });
    return this.addTimed(combined(operation, `slice ${a} ${operation} slice ${b}`, await timed(x), await timed(y)));
  }

  addTimed({ slice, times }: TimedSlice): NumberedSlice {
    return this.add(slice, async () => times, undefined);
  }

  private add(slice: Slice, find: (work?: Work) => Promise<MemberTimes>, origin: NumberedSlice['origin']): NumberedSlice {
    let known: MemberTimes | undefined;
    const times = async (work?: Work): Promise<MemberTimes> => (known ??= await find(work));
    const numbered = { slice, times, number: this.next++, origin, execution: this.subject.execution };
    this.known.set(numbered.number, numbered);
    return numbered;
  }

  /** Where its members were reached. Looked for once. */
  async arrivalsOf(slice: NumberedSlice, work?: Work): Promise<MemberArrivals> {
    if (slice.execution !== this.subject.execution) throw new UserError(`slice ${slice.number} is of another run than the one that is debugged now`);
    let known = this.arrivals.get(slice);
    if (known === undefined) this.arrivals.set(slice, (known = await memberArrivals(this.subject, slice.slice, await slice.times(work), work)));
    return known;
  }

  private async question(words: readonly string[], work: Work | undefined): Promise<SliceQuestion> {
    const { subject } = this;
    const [first, ...others] = words;
    const isStatement = first !== undefined && parseStatement(first) !== undefined;
    if (isStatement || words.length > 0 || hasCrashed(subject)) return sliceQuestion(subject, isStatement ? first : undefined, isStatement ? others : words, work);
    const { statement, number } = await standingInstance(subject, work);
    return sliceQuestion(subject, `${statementName(statement, true)}#${number}`, [], work);
  }

  private async walk(question: SliceQuestion, options: SliceOptions, filters: readonly SliceFilter[], work: Work | undefined): Promise<NumberedSlice> {
    const limits = { filters, isLookedAt: await lookedAt(this.subject, this.limits, work) };
    const without = filters.length === 0 ? '' : ` without ${filters.map(({ title }) => title).join(', ')}`;
    const asked = { ...question, title: `${question.title}${without}` };
    const slice = await this.slices.answer(asked, options, work, limits);
    return this.add(slice, (own) => this.slices.times(slice, asked, options, own, limits), { question, options, filters });
  }
}
