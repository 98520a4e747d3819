/**
 * The terminal: takes lines, does what they say, writes what comes of it. It knows nothing of where lines come from: a
 * person at a prompt, a script, options of the command.
 */
import { UserError } from '../base/errors.js';
import { Cancelled } from '../replay/timeline/work.js';
import type { Command } from './command.js';
import { CommandSet } from './commandSet.js';
import { BREAKPOINTS } from './commands/breakpointCommands.js';
import { ALTERING } from './commands/alterationCommands.js';
import { BLAME } from './commands/blameCommand.js';
import { GRAPH, SHAPE } from './commands/shapeCommands.js';
import { PROBE } from './commands/probeCommand.js';
import { CHANGES } from './commands/changeCommands.js';
import { DATA } from './commands/dataCommands.js';
import { DISASSEMBLE } from './commands/disassembleCommand.js';
import { FLOW } from './commands/flowCommands.js';
import { HELP_COMMANDS } from './commands/helpCommand.js';
import { INFO } from './commands/infoCommand.js';
import { LIST } from './commands/listCommand.js';
import { ORIGIN } from './commands/originCommand.js';
import { RUNNING } from './commands/runningCommands.js';
import { SIGNALS } from './commands/signalCommands.js';
import { SOURCE_PLACES } from './commands/sourcePlaces.js';
import { SLICES } from './commands/sliceCommands.js';
import { STACK } from './commands/stackCommands.js';
import { SUPPORT } from './commands/supportCommands.js';
import { THREADS } from './commands/threadCommands.js';
import { INSTANCE } from './commands/instanceCommand.js';
import { CHECKPOINTS } from './commands/checkpointCommands.js';
import { TIME } from './commands/timeCommands.js';
import { WATCHING } from './commands/watchCommands.js';
import { announceBranch } from './branchText.js';
import { complete, type Completion } from './completion.js';
import { Session, type SessionOptions } from './session.js';

const ALL_COMMANDS: readonly Command[] = [
  ...RUNNING, ...BREAKPOINTS, ...WATCHING, ...SIGNALS, ...STACK, ...DATA, LIST, ...SOURCE_PLACES, DISASSEMBLE, ORIGIN, INFO, ...THREADS, ...TIME, INSTANCE, ...CHECKPOINTS, ...SLICES, ...CHANGES, ...ALTERING, PROBE, BLAME, SHAPE, GRAPH, ...FLOW,
  ...SUPPORT, ...HELP_COMMANDS,
];

export class Terminal {
  readonly session: Session;
  private last: { readonly command: Command; readonly args: string } | undefined;

  constructor(options: SessionOptions) {
    this.session = new Session(options);
    this.session.commands = new CommandSet(ALL_COMMANDS);
    this.session.execute = (line) => this.execute(line);
  }

  get prompt(): string {
    return this.session.settings.get('prompt');
  }

  /** Undefined as long as the user has not said `quit`. */
  get exitStatus(): number | undefined {
    return this.session.exitStatus;
  }

  /** A line as the user types it: an empty one repeats what was last. True if all went well; mistakes are told. */
  async typed(line: string): Promise<boolean> {
    return this.telling(async () => {
      if (line.trim() === '') return this.repeat();
      await this.execute(line, true);
    });
  }

  /** One that comes from a script; true if all went well. */
  async given(line: string): Promise<boolean> {
    return this.telling(() => this.execute(line));
  }

  /** What may stand where the line ends. */
  complete(line: string): Completion {
    try {
      return complete(line, this.session);
    } catch (error) {
      if (error instanceof UserError) return { candidates: [], replaced: '' };
      throw error;
    }
  }

  private async execute(line: string, isTyped = false): Promise<void> {
    const spoken = this.session.commands.parse(line);
    if (spoken === undefined) return;
    const { command, args } = spoken;
    if (isTyped) this.last = command.repeat === 'never' ? undefined : { command, args: command.repeat === 'bare' ? '' : args };
    await this.run(command, args);
  }

  /** That a branch has begun, or is left, is said whatever has done it. */
  private async run(command: Command, args: string): Promise<void> {
    const { session } = this;
    session.shownBranch = session.debugger.branch;
    try {
      await command.run(args, session);
    } finally {
      announceBranch(session);
    }
  }

  private async repeat(): Promise<void> {
    if (this.last !== undefined) await this.run(this.last.command, this.last.args);
  }

  private async telling(action: () => Promise<void>): Promise<boolean> {
    try {
      await action();
      return true;
    } catch (error) {
      if (error instanceof Cancelled) this.session.surface.complain('Quit');
      else if (error instanceof UserError) this.session.surface.complain(error.message);
      else throw error;
      return false;
    }
  }
}
