/** A command of the terminal: what it is called, what `help` says of it, what it does. */
import type { Session } from './session.js';

export type Group = 'breakpoints' | 'running' | 'time' | 'slices' | 'stack' | 'data' | 'files' | 'status' | 'support';

/** What is completed after the command. */
export type Completed = 'location' | 'expression' | 'file' | 'command' | 'setting' | 'signal' | 'bookmark' | 'nothing' | readonly string[];

export interface Command {
  readonly name: string;
  /** Short forms that mean this one though others begin with them, too. */
  readonly aliases?: readonly string[];
  readonly group: Group;
  /** `continue [N]` */
  readonly usage: string;
  /** One sentence. */
  readonly summary: string;
  /** More of it, if there is more to say. */
  readonly details?: string;
  /** Pairs of what to type and what that does. */
  readonly examples?: readonly (readonly [string, string])[];
  /** What an empty line does after it: the same again, the same without arguments, or nothing. */
  readonly repeat?: 'same' | 'bare' | 'never';
  readonly completes?: Completed;
  run(args: string, session: Session): Promise<void> | void;
}
