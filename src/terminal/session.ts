/** What commands work on: the debugger, where to write, and what the terminal itself remembers. */
import { visible } from '../base/visible.js';
import { UserError } from '../base/errors.js';
import type { Breakpoint } from '../debugger/control/breakpoints.js';
import { goneText } from '../debugger/control/goneSearch.js';
import type { Debugger } from '../debugger/control/debugger.js';
import type { Stop } from '../debugger/control/stops.js';
import type { ProgramView } from '../debugger/program/programView.js';
import type { SourceText } from '../debugger/program/sourceText.js';
import type { VisibleFrame } from '../debugger/program/visibleFrame.js';
import type { BranchExecution } from '../replay/branch/branchExecution.js';
import type { BlameMeans } from '../blame/blame.js';
import type { MakeAttempters } from '../probe/probe.js';
import type { ReadSpecification } from '../shapes/report/question.js';
import { comparePositions, type Position } from '../replay/log/position.js';
import { NO_SLICE_FILES, SliceCommands, type SliceFiles } from '../slices/sliceCommands.js';
import type { Work } from '../replay/timeline/work.js';
import { AlterationCommands } from '../whatIf/alterationCommands.js';
import type { FindingsOf } from '../whatIf/findings.js';
import type { CommandSet } from './commandSet.js';
import { Displays } from './displays.js';
import type { Language } from './language.js';
import { Listing } from './listing.js';
import { MissedSources } from './missedSources.js';
import { Settings } from './settings.js';
import { COLOURED, type Paint, PLAIN } from './style.js';
import type { Surface } from './surface.js';
import { Visits } from './visits.js';

export interface SessionOptions {
  readonly debugger: Debugger;
  readonly language: Language;
  readonly surface: Surface;
  /** The program and its arguments, as the user typed them. */
  readonly commandLine?: readonly string[];
  /** Where slices are kept. */
  readonly sliceFiles?: SliceFiles;
  /** Who helps `probe`. */
  readonly attempters?: MakeAttempters | undefined;
  /** How `blame` runs the program. */
  readonly blameMeans?: BlameMeans | undefined;
  /** How `compare` finds out what rules say of runs. */
  readonly findingsOf?: FindingsOf | undefined;
  /** Reads specifications for `shape`. */
  readonly readShape?: ((name: string) => ReadSpecification) | undefined;
}

export class Session {
  readonly debugger: Debugger;
  readonly language: Language;
  readonly surface: Surface;
  readonly settings = new Settings();
  readonly missed = new MissedSources();
  readonly listing = new Listing();
  readonly displays = new Displays();
  readonly visits = new Visits();
  readonly slices: SliceCommands;
  readonly commandLine: readonly string[];
  readonly attempters: MakeAttempters | undefined;
  readonly blameMeans: BlameMeans | undefined;
  readonly readShape: ((name: string) => ReadSpecification) | undefined;
  /** Set by the terminal: `help` and scripts need them. */
  commands!: CommandSet;
  execute!: (line: string) => Promise<void>;
  /** `quit` was said: with this exit status. */
  exitStatus: number | undefined;
  /** As they were before the program moved: temporary ones may have gone since. */
  breakpointsBefore: readonly Breakpoint[] = [];
  /** What `last` was asked for, and where that led to. */
  private asked: { readonly expression: string; readonly purpose: string; readonly meant: string; readonly at: Position | undefined } | undefined;
  /** Scripts that run: what is left of each. */
  private readonly pending: string[][] = [];
  /** The thread that the user saw last: another one is announced. */
  shownThread = 0;
  /** What is altered in branches. */
  readonly alterations: AlterationCommands;
  /** The branch that the user knows to be in: another one, or none, is announced. */
  shownBranch: BranchExecution | undefined;

  constructor(options: SessionOptions) {
    this.debugger = options.debugger;
    this.language = options.language;
    this.surface = options.surface;
    this.slices = new SliceCommands(this.debugger, options.sliceFiles ?? NO_SLICE_FILES);
    this.commandLine = options.commandLine ?? [];
    this.alterations = new AlterationCommands(this.debugger, {
      read: (path) => this.surface.readText(path),
      write: (path, text) => {
        if (this.surface.writeText === undefined) throw new UserError('Files cannot be written from here.');
        this.surface.writeText(path, text);
      },
    }, options.findingsOf);
    this.attempters = options.attempters;
    this.blameMeans = options.blameMeans;
    this.readShape = options.readShape;
    this.shownThread = this.debugger.thread?.id ?? 0;
  }

  get paint(): Paint {
    return this.surface.hasColour && this.settings.isOn('style enabled') ? COLOURED : PLAIN;
  }

  write(text: string): void {
    this.surface.write(text);
  }

  /** With the end of its line. */
  say(line: string): void {
    this.write(`${line}\n`);
  }

  /** Throws a UserError if there is none. */
  get frame(): VisibleFrame {
    const { frame } = this.debugger;
    if (frame === undefined) throw new UserError('No stack.');
    return frame;
  }

  get program(): ProgramView {
    const program = this.debugger.program();
    if (program === undefined) throw new UserError('The program has no registers now.');
    return program;
  }

  get sources(): SourceText {
    return this.debugger.sources;
  }

  shownName(name: string | undefined, path: string | undefined): string {
    const display = this.settings.get('filename-display');
    const shown = (display === 'absolute' ? (path ?? name) : (name ?? path)) ?? '??';
    return visible(display === 'basename' ? shown.replace(/.*\//s, '') : shown);
  }

  /** Lines one after the other; blocks among them read theirs from the same lines. The first mistake ends it. */
  async runScript(lines: readonly string[], name: string): Promise<void> {
    const queue = [...lines];
    this.pending.push(queue);
    try {
      for (let line = queue.shift(); line !== undefined && this.exitStatus === undefined; line = queue.shift()) await this.execute(line);
    } catch (error) {
      if (error instanceof UserError && /[/.]/.test(name)) throw new UserError(`${name}:${lines.length - queue.length}: Error in sourced command file:\n${error.message}`);
      throw error;
    } finally {
      this.pending.pop();
    }
  }

  /** The next line of the script that runs, or of the user. */
  async nextLine(prompt: string): Promise<string | undefined> {
    const queue = this.pending.at(-1);
    return queue === undefined ? this.surface.nextLine(prompt) : queue.shift();
  }

  /**
   * The lvalue that an expression is here, by its address: it stays the same thing where its variables mean something
   * else. Asked again for the same, from where that led to, it is still the first one.
   */
  sameThing(expression: string, purpose: string): string {
    const { asked, debugger: { position } } = this;
    if (asked !== undefined && asked.expression === expression && asked.purpose === purpose && comparePositions(asked.at ?? position, position) === 0) {
      this.asked = { ...asked, at: undefined };
      return asked.meant;
    }
    const { atAddress } = this.debugger.evaluator.evaluate(expression, this.program, this.debugger.frame);
    this.asked = { expression, purpose, meant: atAddress ?? expression, at: undefined };
    return this.asked.meant;
  }

  /**
   * Looks at values, also of blocks that are no more (debugger/control/goneBlocks.ts); shows what it sees, then says
   * which those were.
   */
  async looking<T>(look: () => T | Promise<T>, show: (seen: T) => void | Promise<void>): Promise<void> {
    const restore = this.language.remembering();
    const again = (): T | Promise<T> => (restore(), look());
    const { seen, gone } = await this.working('looking back', (work) => this.debugger.seeing(again, work));
    await show(seen);
    for (const block of gone) this.say(goneText(block));
  }

  /** Something that may take long: shown, and given up with Ctrl-C. */
  async working<T>(what: string, action: (work: Work) => Promise<T>): Promise<T> {
    const work = this.surface.startWork(what);
    try {
      return await action(work);
    } finally {
      work.done();
    }
  }

  /** Goes somewhere: remembers where from, for `back`. */
  async going(what: string, action: (work: Work) => Promise<Stop>): Promise<Stop> {
    const before = this.debugger.position;
    this.breakpointsBefore = this.debugger.breakpoints.all;
    const stop = await this.working(what, action);
    if (stop.kind !== 'cancelled') this.visits.went(before, this.debugger.position);
    if (this.asked !== undefined) this.asked = this.asked.at === undefined ? { ...this.asked, at: this.debugger.position } : undefined;
    return stop;
  }
}
