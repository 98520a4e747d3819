/**
 * Commands about slices, the same in all front ends: what is said to them, and where they lead. Front ends print the
 * lines, go to the time and set the stops.
 */
import { UserError } from '../base/errors.js';
import { visible } from '../base/visible.js';
import { parseStatement } from '../debugger/program/statementText.js';
import { statementName } from '../debugger/program/statements.js';
import type { Work } from '../replay/timeline/work.js';
import { type Dependences, dependencesAt } from './dependencesAt.js';
import { listing } from './listing.js';
import type { MemberArrival } from './memberArrivals.js';
import { namesIn } from './placeNames.js';
import { functionLimit, lineLimit } from './recordLimits.js';
import { loadedSlice, recordingMark, savedText } from './savedSlices.js';
import type { SliceMember } from './slice.js';
import { type NumberedSlice, SliceTable } from './sliceTable.js';
import type { SetOperation } from './sliceSets.js';
import type { SliceOptions } from './slices.js';
import type { SliceSubject } from './subject.js';

/** What comes of a command. */
export interface SliceOutcome {
  readonly lines: readonly string[];
  /** A time to go to. */
  readonly goTo?: number;
  /** Instances to stop at, in both directions. */
  readonly stops?: SliceStops;
}

export interface SliceStops {
  readonly title: string;
  readonly arrivals: readonly MemberArrival[];
}

/** Files of slices. */
export interface SliceFiles {
  /** Where slices go if nothing is said: beside the recording. */
  readonly besides: string | undefined;
  /** Undefined if it cannot be read. */
  read(path: string): string | undefined;
  /** Throws a UserError if it cannot be written. */
  write(path: string, text: string): void;
}

export const NO_SLICE_FILES: SliceFiles = {
  besides: undefined,
  read: () => undefined,
  write: () => {
    throw new UserError('slices cannot be saved here: use "culprit debug"');
  },
};

export const SLICE_COMMANDS: Readonly<Record<string, { readonly usage: string; readonly summary: string }>> = {
  slice: { usage: 'slice [FILE:LINE[.K][#N]] [VARIABLE… | ADDRESS SIZE | $REGISTER] [-data] [-control] [-frames] [-into-libraries]', summary: 'What a statement, a value or the crash depended on.' },
  prune: { usage: 'prune ID VARIABLE|$REGISTER|FILE:LINE|FUNCTION…', summary: 'A slice again, without what is due to something.' },
  sdelete: { usage: 'sdelete ID…', summary: 'Forget slices.' },
  record: { usage: 'record FILE:LINE on|off | record FUNCTION | record all', summary: 'Say what part of the run slices look at.' },
  deps: { usage: 'deps', summary: 'What the line where you stand depends on, this time.' },
  follow: { usage: 'follow N', summary: 'Go to a dependence that "deps" has listed.' },
  sbreak: { usage: 'sbreak ID N,N…|all', summary: 'Stop where members of a slice are reached, at the very instances that are in it.' },
  sstep: { usage: 'sstep [ID]', summary: 'Go on to the next instance of the slice.' },
  rsstep: { usage: 'rsstep [ID]', summary: 'Go back to the instance of the slice before.' },
  chop: { usage: 'chop FILE:LINE FILE:LINE[#N]', summary: 'How one statement came to depend on another: what lies between them.' },
};

const number = (value: number): string => value.toLocaleString('en');
const plural = (count: number, word: string): string => `${number(count)} ${word}${count === 1 ? '' : 's'}`;

export class SliceCommands {
  readonly table: SliceTable;
  private dependences: Dependences | undefined;

  constructor(
    private readonly subject: SliceSubject,
    private readonly files: SliceFiles = NO_SLICE_FILES,
  ) {
    this.table = new SliceTable(subject);
  }

  /** `name` is one of SLICE_COMMANDS, or `info slices` or `info record`. */
  async run(name: string, args: string, work?: Work): Promise<SliceOutcome> {
    const words = args.trim() === '' ? [] : args.trim().split(/\s+/);
    switch (name) {
      case 'slice': return this.slice(words, work);
      case 'prune': return this.shown(await this.table.prune(needed(words[0], 'say which slice and what to leave out: prune ID VARIABLE'), words.slice(1), work), work);
      case 'sdelete': return this.forget(words);
      case 'record': return this.record(words, work);
      case 'deps': return this.deps(words, work);
      case 'follow': return this.follow(words[0]);
      case 'sbreak': return this.stops(words, work);
      case 'sstep': return this.step(words[0], 'forward', work);
      case 'rsstep': return this.step(words[0], 'backward', work);
      case 'chop': return this.chop(words, work);
      case 'info slices': return { lines: this.list() };
      case 'info record': return { lines: this.limits() };
      default: throw new UserError(`no such command: ${name}`);
    }
  }

  private async slice(words: readonly string[], work: Work | undefined): Promise<SliceOutcome> {
    const [first = '', a, b] = words;
    switch (first) {
      case 'show': return this.shown(this.table.get(needed(a, 'say which slice: slice show ID')), work);
      case 'union': case 'intersect': case 'minus': return this.combine(first, a, b, work);
      case 'save': return this.save(needed(a, 'say which slice: slice save ID [FILE]'), b, work);
      case 'load': return this.load(a, work);
      case 'forward': return this.forward(words.slice(1), work);
      default: {
        const { options, others } = optionsIn(words);
        return this.shown(await this.table.backward(others, options, work), work);
      }
    }
  }

  private async forward(words: readonly string[], work: Work | undefined): Promise<SliceOutcome> {
    const { options, others: [statement, more] } = optionsIn(words);
    if (statement === undefined || more !== undefined || parseStatement(statement) === undefined) throw new UserError('slice forward wants a statement: FILE:LINE or FILE:LINE#N, and nothing else');
    return this.shown(await this.table.forward(statement, options, work), work);
  }

  private async combine(operation: SetOperation, a: string | undefined, b: string | undefined, work: Work | undefined): Promise<SliceOutcome> {
    if (a === undefined || b === undefined) throw new UserError(`say which slices: slice ${operation} ID ID`);
    return this.shown(await this.table.combine(operation, a, b, work), work);
  }

  private async chop(words: readonly string[], work: Work | undefined): Promise<SliceOutcome> {
    const { options, others: [from, to, more] } = optionsIn(words);
    if (from === undefined || to === undefined || more !== undefined) throw new UserError('say from where to where: chop FILE:LINE FILE:LINE#N');
    return this.shown(await this.table.chop(from, to, options, work), work);
  }

  /** With its number, and members numbered. */
  private async shown({ number: own, slice }: NumberedSlice, work: Work | undefined): Promise<SliceOutcome> {
    const nameOf = await namesIn(slice, this.subject, work);
    const [title = '', ...rest] = listing(slice, { nameOf, textOf: (path, line) => this.subject.sources.line(path, line), isNumbered: true });
    const limited = slice.members.length === 0 && this.table.limits.length > 0 ? ['Slices do not look at the whole run now: see "info record".'] : [];
    return { lines: [`Slice ${own}: ${title.replace(/^Slice of /, '')}`, ...rest, ...limited].map(visible) };
  }

  private list(): readonly string[] {
    const { all } = this.table;
    if (all.length === 0) return ['No slices.'];
    const rows = all.map(({ number: own, slice: { title, members, instances, criterion } }) => {
      const edges = members.reduce((sum, { edges: some }) => sum + some.length, criterion.length);
      return [String(own), number(members.length), number(instances), number(edges), title];
    });
    const heads = ['Num', 'Lines', 'Instances', 'Edges', 'Of'];
    const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => (row[i] as string).length)));
    return [heads, ...rows].map((row) => visible(row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] as number))).join('  ')));
  }

  private forget(words: readonly string[]): SliceOutcome {
    if (words.length === 0) throw new UserError('say which slices: sdelete ID');
    for (const word of words) this.table.get(word);
    for (const word of words) this.table.delete(word);
    return { lines: [] };
  }

  // ---- what is looked at

  private async record([what, how, more]: readonly string[], work: Work | undefined): Promise<SliceOutcome> {
    const { table } = this;
    if (what === undefined || more !== undefined || (how !== undefined && how !== 'on' && how !== 'off')) throw new UserError('write record FILE:LINE on, record FILE:LINE off, record FUNCTION, or record all');
    if (what === 'all') table.limits = [];
    else if (how === undefined && parseStatement(what) !== undefined) throw new UserError(`say whether slices look at what is after it or before it: record ${what} on, or record ${what} off`);
    else table.limits.push(how === undefined ? functionLimit(this.subject, what) : await lineLimit(this.subject, what, how === 'on', work));
    return { lines: this.limits() };
  }

  private limits(): readonly string[] {
    const { limits } = this.table;
    if (limits.length === 0) return ['Slices look at the whole run.'];
    return limits.map((limit) => visible(limit.kind === 'function' ? `Slices look at calls of ${limit.text} only.` : `${statementName(limit.statement)}${limit.instance === undefined ? '' : `#${limit.instance}`}: ${limit.isOn ? 'from there on' : 'up to there'}.`));
  }

  // ---- dependences

  private async deps(words: readonly string[], work: Work | undefined): Promise<SliceOutcome> {
    if (words.length > 0) throw new UserError('"deps" is about where you stand: go there ("goto FILE:LINE#N"); "follow N" goes to one of its list');
    const found = await this.dependencesHere(work);
    const title = `${statementName(found.statement)}#${found.number}`;
    if (found.all.length === 0) return { lines: [`${title} depends on nothing of your own code`] };
    const names = found.all.map(({ path, line, functionName, number: own }) => (path === undefined ? (functionName ?? '??') : `${statementName({ path, line, part: undefined })}#${own}`));
    const widths = { number: String(found.all.length).length, name: Math.max(...names.map((name) => name.length)) };
    const rows = found.all.map(({ kind, due, path, line }, i) => {
      const text = path === undefined ? '' : (this.subject.sources.line(path, line) ?? '').trim();
      const what = kind === 'control' ? 'control' : `data (${due})`;
      return `${String(i + 1).padStart(widths.number)}  ${(names[i] as string).padEnd(widths.name)}  ${what}${text === '' ? '' : `  ${text}`}`;
    });
    return { lines: [`${title} depends on:`, ...rows].map(visible) };
  }

  /** What the line where one stands depends on; `follow` goes by it. */
  async dependencesHere(work?: Work): Promise<Dependences> {
    this.dependences = await dependencesAt(this.subject, this.table.slices, work);
    return this.dependences;
  }

  private follow(word: string | undefined): SliceOutcome {
    if (this.dependences === undefined) throw new UserError('"deps" lists dependences first');
    const { all } = this.dependences;
    const found = /^\d+$/.test(word ?? '') ? all[Number(word) - 1] : undefined;
    if (found === undefined) throw new UserError(all.length === 0 ? 'there is no dependence to follow' : `say which of the dependences: follow 1${all.length === 1 ? '' : ` to follow ${all.length}`}`);
    return { lines: [], goTo: found.time };
  }

  // ---- instances

  private async stops([first, second]: readonly string[], work: Work | undefined): Promise<SliceOutcome> {
    const usage = 'say which members of which slice: sbreak ID 1,3, or sbreak ID all';
    const [id, list] = first === 'all' ? [second, 'all'] : [first, second];
    if (id === undefined || list === undefined) throw new UserError(usage);
    const slice = this.table.get(id);
    const { members } = slice.slice;
    const wanted = list === 'all' ? undefined : new Set(list.split(',').map((word) => memberNumber(word, members)));
    const { all, isComplete } = await this.table.arrivalsOf(slice, work);
    const arrivals = all.filter(({ member }) => wanted?.has(member) ?? true);
    const title = `slice ${id}${wanted === undefined ? '' : ` ${list}`}`;
    if (arrivals.length === 0) throw new UserError(`no instance of ${title} is known`);
    return { lines: isComplete ? [] : ['Older instances are counted only: there is no stop at them.'], stops: { title, arrivals } };
  }

  private async step(id: string | undefined, direction: 'forward' | 'backward', work: Work | undefined): Promise<SliceOutcome> {
    const slice = id === undefined ? this.table.last : this.table.get(id);
    const { all } = await this.table.arrivalsOf(slice, work);
    const { time } = this.subject.position;
    const found = direction === 'forward' ? all.find((one) => one.time > time) : all.findLast((one) => one.time < time);
    if (found === undefined) throw new UserError(`slice ${slice.number} has no instance ${direction === 'forward' ? 'after' : 'before'} this`);
    const { path, line, functionName } = slice.slice.members[found.member] as SliceMember;
    const name = path === undefined ? (functionName ?? '??') : `${statementName({ path, line, part: undefined })}#${found.number}`;
    return { lines: [visible(`[${found.member + 1}] ${name}`)], goTo: found.time };
  }

  // ---- files

  private async save(id: string, path = this.files.besides, work?: Work): Promise<SliceOutcome> {
    const slice = this.table.get(id);
    if (path === undefined) throw new UserError('say to which file: slice save ID FILE');
    if (slice.execution !== this.subject.execution || slice.execution !== this.recording) throw new UserError(`slice ${id} is of a what-if branch: only slices of the recording can be saved`);
    this.files.write(path, savedText({ slice: slice.slice, times: await slice.times(work) }, recordingMark(slice.execution)));
    return { lines: [visible(`Slice ${id}, ${plural(slice.slice.members.length, 'line')}, is in ${path}`)] };
  }

  private async load(path = this.files.besides, work?: Work): Promise<SliceOutcome> {
    if (path === undefined) throw new UserError('say from which file: slice load FILE');
    const text = this.files.read(path);
    if (text === undefined) throw new UserError(`${path} cannot be read`);
    if (this.subject.execution !== this.recording) throw new UserError('slices of the recording mean nothing in a what-if branch: leave it first');
    return this.shown(this.table.addTimed(loadedSlice(text, path, recordingMark(this.recording))), work);
  }

  private get recording(): SliceSubject['execution'] {
    const { instanceRun } = this.subject;
    return instanceRun.recording ?? instanceRun.execution;
  }
}

function needed(word: string | undefined, otherwise: string): string {
  if (word === undefined) throw new UserError(otherwise);
  return word;
}

function memberNumber(word: string, members: readonly SliceMember[]): number {
  const found = /^S?(\d+)$/i.exec(word);
  const index = Number(found?.[1] ?? 0) - 1;
  if (members[index] === undefined) throw new UserError(`there is no member ${word} in it: they are numbered from 1 to ${members.length} ("slice show ID")`);
  return index;
}

const OPTIONS: ReadonlySet<string> = new Set(['data', 'control', 'frames', 'into-libraries']);

/** Also with two dashes, as on the command line. */
function optionsIn(words: readonly string[]): { readonly options: SliceOptions; readonly others: readonly string[] } {
  const given = words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.replace(/^--?/, ''));
  for (const word of given) if (!OPTIONS.has(word)) throw new UserError(`-${word} is no option of slices: there are ${[...OPTIONS].map((one) => `-${one}`).join(', ')}`);
  const has = (name: string): boolean => given.includes(name);
  const kind = has('data') === has('control') ? undefined : has('data') ? ('data' as const) : ('control' as const);
  return { options: { ...(kind === undefined ? {} : { kind }), intoLibraries: has('into-libraries'), frames: has('frames') }, others: words.filter((word) => !/^--?[a-z]/.test(word)) };
}
