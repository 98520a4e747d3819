/**
 * Commands about alterations, the same in all front ends: what is said to them, and what is to be debugged then. Front
 * ends print the lines and enter the branch. What is on is what made the branch that is debugged: the branch itself
 * knows, so that the list is right wherever the user goes.
 */
import { UserError } from '../base/errors.js';
import { visible } from '../base/visible.js';
import type { BranchHistory } from '../debugger/control/branching.js';
import type { Debugger } from '../debugger/control/debugger.js';
import { ProgramView } from '../debugger/program/programView.js';
import type { BranchExecution } from '../replay/branch/branchExecution.js';
import { comparePositions, type Position } from '../replay/log/position.js';
import type { Work } from '../replay/timeline/work.js';
import { type Alteration, alterationText, parseAlteration } from './alteration.js';
import { alterationLines, type Alterations, loadedAlterations, savedAlterations, switched, withoutAlteration } from './alterations.js';
import { type AlterationFrom, alteredBranch } from './alteredBranch.js';
import { firstPosition, numbered, type WhatIf } from './apply.js';
import { type ComparedRun, comparedRun } from './comparedRun.js';
import { compareRuns, type RunComparison } from './compareRuns.js';
import { comparisonLines } from './comparisonText.js';
import { findingsDifference, type FindingsOf, type RunFindings } from './findings.js';

/** A debugger, or what another front end has in its place. */
export type AlterationSubject = Pick<Debugger, 'branching' | 'modules' | 'named' | 'evaluator' | 'checkpoints'> & {
  readonly thread: { readonly id: number } | undefined;
  readonly frame: { readonly path?: string | undefined } | undefined;
};

/** Files of lists. */
interface AlterationFiles {
  /** Undefined if it cannot be read. */
  read(path: string): string | undefined;
  /** Throws a UserError if it cannot be written. */
  write(path: string, text: string): void;
}

const NO_ALTERATION_FILES: AlterationFiles = {
  read: () => undefined,
  write: () => {
    throw new UserError('files cannot be written from here: use "culprit debug"');
  },
};

/** What is to be debugged from now on, and where. */
export interface Entering {
  /** Undefined: the recording. */
  readonly branch: BranchExecution | undefined;
  readonly history: BranchHistory;
  readonly position: Position;
}

export interface AlterationOutcome {
  readonly lines: readonly string[];
  readonly entering?: Entering;
}

interface NamedComparison {
  readonly comparison: RunComparison;
  /** Of the two runs. */
  readonly names: readonly [string, string];
}

export const ALTERATION_COMMANDS = {
  switch: { usage: 'switch FILE:LINE[.K][#N] [all|once|N] [to CASE]', summary: 'Let a condition go the other way, in a branch; or a switch statement go to another case.' },
  suppress: { usage: 'suppress FILE:LINE[.K][#N] | FUNCTION[#N] [all|once|N] [= VALUE]', summary: 'Leave a statement or a function out, in a branch.' },
  alteration: { usage: 'alteration on|off|delete ID', summary: 'Switch an alteration on or off, or delete it; "info alterations" lists them.' },
  alterations: { usage: 'alterations [save|load FILE]', summary: 'List alterations, save the list to a file, or go on with a list that was saved.' },
  compare: { usage: 'compare [-findings] [RUN [RUN]]', summary: 'Say what differs between two runs, both run to their ends.' },
} as const;

const FINDINGS = /^--?findings$/;

export type AlterationCommand = keyof typeof ALTERATION_COMMANDS;

interface Entry extends AlterationFrom {
  readonly id: number;
}

export class AlterationCommands {
  private readonly known = new Map<number, Entry>();
  private next = 1;

  constructor(
    private readonly subject: AlterationSubject,
    private readonly files: AlterationFiles = NO_ALTERATION_FILES,
    private readonly findingsOf?: FindingsOf,
  ) {}

  /** On is what is altered in what is debugged now. */
  get list(): Alterations {
    const active = new Set(this.active.map(({ id }) => id));
    const entries = new Map([...this.known.values(), ...this.active].map((entry) => [entry.id, entry]));
    return { next: this.next, all: [...entries.values()].sort((a, b) => a.id - b.id).map(({ id, alteration }) => ({ id, alteration, on: active.has(id) })) };
  }

  /** Nothing changes if a UserError is thrown. */
  async run(name: AlterationCommand, args: string, work?: Work): Promise<AlterationOutcome> {
    switch (name) {
      case 'switch': case 'suppress': return this.alter(name, args, work);
      case 'alteration': return this.edit(args, work);
      case 'alterations': return this.file(args, work);
      case 'compare': {
        const { comparison, names } = await this.compare(args, work);
        return { lines: comparisonLines(comparison, names).map(visible) };
      }
    }
  }

  /** As a table. */
  get lines(): string[] {
    const lines = alterationLines(this.list);
    return lines.length === 0 ? ['No alterations.'] : ['Num     What', ...lines].map(visible);
  }

  /** What differs between two runs. Nothing moves. */
  async compare(args: string, work?: Work): Promise<NamedComparison> {
    const all = args.trim() === '' ? [] : args.trim().split(/\s+/);
    const words = all.filter((word) => !FINDINGS.test(word));
    if (words.length > 2) throw new UserError(`compare has at most two runs: ${ALTERATION_COMMANDS.compare.usage}`);
    const { subject, subject: { branching, branching: { recording, branch }, modules, named: { statements }, evaluator } } = this;
    if (words.length === 0 && branch === undefined) throw new UserError('This is the recording: there is no branch to compare it with. "switch" or "suppress" makes one.');
    const [first = 'recording', second = 'branch'] = words.length === 2 ? words : ['recording', ...words];
    const [here, home] = [branch?.position, recording.position];
    const runs: ComparedRun[] = [];
    try {
      for (const word of [first, second]) runs.push(await comparedRun(word, { checkpoints: subject.checkpoints, branching, list: this.list, whatIf: this.whatIf() }, work));
      const [a, b] = runs as [ComparedRun, ComparedRun];
      const findings = words.length < all.length ? findingsDifference(await this.findingsIn(first, work), await this.findingsIn(second, work)) : undefined;
      const comparison = await compareRuns(a.run, b.run, { modules, statements }, evaluator, work);
      return { comparison: findings === undefined ? comparison : { ...comparison, findings }, names: [a.name, b.name] };
    } finally {
      for (const { release } of runs) release();
      await recording.seek(home);
      if (here !== undefined) await branch?.seek(here);
    }
  }

  /** What rules find in a run, as `compare` names it. */
  private async findingsIn(word: string, work: Work | undefined): Promise<RunFindings> {
    if (this.findingsOf === undefined) throw new UserError('the program cannot be run under rules from here: use "culprit debug"');
    if (word.startsWith('@')) throw new UserError('findings are of the recording, the branch, or numbers of alterations: not of checkpoints');
    if (word === 'branch' && this.subject.branching.history.own.length > 0) throw new UserError('the branch has changes of your own, which a run under rules does not have: compare numbers of alterations');
    const { list } = this;
    const wanted = word === 'recording' ? [] : word === 'branch' ? this.active : word.split(',').flatMap((digits) => list.all.filter(({ id }) => id === Number(digits)));
    return this.findingsOf(wanted.map(({ alteration }) => alteration), work);
  }

  /**
   * What is debugged is what it was when a checkpoint was made. What was on `before` that, is made again from here on;
   * what had been altered there already is altered.
   */
  async rolledBack(before: Alterations, work?: Work): Promise<AlterationOutcome> {
    const { branching, branching: { branch, history } } = this.subject;
    const { active } = this;
    const isOn = (id: number): boolean => active.some((one) => one.id === id);
    const position = branching.execution.position;
    const back = active.filter(({ id }) => before.all.find((one) => one.id === id)?.on !== true);
    const lines = back.map(({ id, alteration }) => `Alteration ${id} is on there: ${alterationText(alteration)}`);
    const again: Entry[] = [];
    for (const { id, alteration } of before.all.filter(({ id: one, on }) => on && !isOn(one))) {
      const first = await firstPosition(this.whatIf(branch), alteration, position, work);
      if (first !== undefined && comparePositions(first, position) >= 0) again.push({ id, alteration, from: position });
      else lines.push(`Alteration ${id} is off: nothing of it is after this (${alterationText(alteration)})`);
    }
    if (again.length === 0) return { lines: lines.map(visible) };
    const whatIf = this.whatIf();
    const own = history.own.length === 0 ? undefined : { branch: branch as BranchExecution, own: history.own, alterations: active };
    const made = await alteredBranch(whatIf, { active: [...active, ...again], notAfter: position, old: own, work }).catch((error: unknown) => {
      if (!(error instanceof UserError)) throw error;
      lines.push(`What was altered is off, as it cannot be made from here on: ${error.message}`);
      return undefined;
    });
    if (made === undefined) return { lines: lines.map(visible) };
    for (const entry of again) this.known.set(entry.id, entry);
    lines.push(...again.map(({ id, alteration }) => `Alteration ${id} is on from here: ${alterationText(alteration)}`));
    return { lines: lines.map(visible), entering: { branch: made.branch, history: { ...made.history, about: [...active, ...again] }, position } };
  }

  private async alter(what: Alteration['what'], args: string, work: Work | undefined): Promise<AlterationOutcome> {
    if (args.trim() === '') throw new UserError('Argument required (a place, as FILE:LINE).');
    return this.add(parseAlteration(what, args), work);
  }

  /** As `switch` and `suppress` do. */
  async add(written: Alteration, work?: Work): Promise<AlterationOutcome> {
    const { branching, branching: { history } } = this.subject;
    const own = history.own.length > 0 ? branching.branch : undefined;
    const alteration = await numbered(this.whatIf(own), written, branching.execution.position, work);
    const entry: Entry = { id: this.next, alteration, from: own?.start };
    const entering = await this.build([...this.active, entry], work);
    this.known.set(this.next++, entry);
    return { lines: [], entering };
  }

  private async edit(args: string, work: Work | undefined): Promise<AlterationOutcome> {
    const [, how, digits] = /^\s*(on|off|delete)\s+(\d+)\s*$/.exec(args) ?? [];
    if (how === undefined) throw new UserError(`Usage: ${ALTERATION_COMMANDS.alteration.usage}`);
    const id = Number(digits);
    const { list } = this;
    const wanted = how === 'delete' ? withoutAlteration(list, id) : switched(list, id, how === 'on');
    const entries = [...this.known.values(), ...this.active];
    const active = wanted.all.filter(({ on }) => on).map((one) => entries.find((entry) => entry.id === one.id) as Entry);
    const isSame = active.length === this.active.length;
    const entering = isSame ? undefined : await this.build(active, work);
    if (how === 'delete') this.known.delete(id);
    return { lines: [], ...(entering === undefined ? {} : { entering }) };
  }

  private async file(args: string, work: Work | undefined): Promise<AlterationOutcome> {
    if (args.trim() === '') return { lines: this.lines };
    const [, how, path] = /^\s*(save|load)\s+(\S.*?)\s*$/.exec(args) ?? [];
    if (how === undefined || path === undefined) throw new UserError(`Usage: ${ALTERATION_COMMANDS.alterations.usage}`);
    if (how === 'save') {
      this.files.write(path, savedAlterations(this.list));
      return { lines: [`Saved to ${path}.`] };
    }
    const text = this.files.read(path);
    if (text === undefined) throw new UserError(`${path}: cannot be read`);
    const list = loadedAlterations(text, path);
    const entries = list.all.map(({ id, alteration }): Entry => ({ id, alteration, from: undefined }));
    const active = entries.filter((_entry, i) => list.all[i]?.on === true);
    const entering = active.length === 0 && this.active.length === 0 ? undefined : await this.build(active, work);
    this.known.clear();
    for (const entry of entries) this.known.set(entry.id, entry);
    this.next = Math.max(this.next, list.next);
    return { lines: alterationLines(list).map(visible), ...(entering === undefined ? {} : { entering }) };
  }

  /** A branch of these, with the user's own changes. */
  private async build(active: readonly Entry[], work: Work | undefined): Promise<Entering> {
    const { branching: { branch, history: { own }, execution } } = this.subject;
    const here = execution.position;
    const old = branch === undefined || own.length === 0 ? undefined : { branch, own, alterations: this.active };
    const made = await alteredBranch(this.whatIf(), { active, notAfter: here, old, work });
    if (made === undefined) return { branch: undefined, history: { own: [], deeds: [] }, position: branch?.start ?? here };
    const { position } = made.branch;
    return { branch: made.branch, history: { ...made.history, about: active }, position: comparePositions(position, here) < 0 ? position : here };
  }

  /** What made the branch that is debugged now. */
  private get active(): readonly Entry[] {
    return (this.subject.branching.history.about as readonly Entry[] | undefined) ?? [];
  }

  /** What is altered: the recording, or a branch of it. */
  private whatIf(branch?: BranchExecution): WhatIf {
    const { branching: { maker, recording }, modules, named: { statements }, thread: selected, frame } = this.subject;
    if (maker === undefined) throw new UserError('this recording cannot be changed: there are no branches here');
    const { state } = branch ?? recording;
    const thread = state.threads.find(({ id }) => id === selected?.id) ?? state.current ?? state.threads[0];
    if (thread === undefined) throw new UserError('The program is not being run.');
    return { maker, recording: branch ?? recording, before: branch === undefined ? undefined : recording, program: new ProgramView(state, thread, modules), modules, statements, currentPath: frame?.path };
  }
}
