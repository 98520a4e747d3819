/**
 * The work that is to be done for one input, as a value that JSON can carry: to a thread, or through a queue to another
 * machine. Texts of the program are bytes, one a character, as base/bytePath.ts has them.
 */
import type { TriageInput } from './triageInput.js';

export interface TriageLimits {
  /** That a run may take, of the time of this machine. */
  readonly seconds: number;
  /** That a run may take; Infinity is written as null by JSON, and means none there, too. */
  readonly instructions: number | null;
  /** Of memory that the program may have. */
  readonly megabytes: number;
}

/** What all inputs have in common. */
export interface TriageCommand {
  /** Absolute. */
  readonly program: string;
  /** As they were written, `@@` among them. */
  readonly args: readonly string[];
  /** The directory that it runs in. */
  readonly directory: string;
  readonly limits: TriageLimits;
  /** `guards`: suppression where they find nothing. */
  readonly method: 'suppression' | 'guards' | 'both';
  /** How often each input is run. */
  readonly repeat: number;
}

export interface TriageJob {
  readonly command: TriageCommand;
  /** Of the input. */
  readonly hash: string;
  /** The file as the program is told of it: absolute. */
  readonly path: string;
  /** Where its content is to be read, if that is not there. */
  readonly source?: string | undefined;
}

/** What stands for the path of the input, as with AFL. */
const INPUT_MARK = '@@';

/** Whether the program is told of a file; otherwise it reads the input from its standard input. */
export function takesPath({ args }: Pick<TriageCommand, 'args'>): boolean {
  return args.some((arg) => arg.includes(INPUT_MARK));
}

/** The arguments for one input. */
export function argumentsFor({ args }: Pick<TriageCommand, 'args'>, path: string): string[] {
  return args.map((arg) => arg.replaceAll(INPUT_MARK, () => path));
}

/** Words to be typed to see for oneself, without quotes. */
export function commandFor(command: Pick<TriageCommand, 'args'> & { readonly shown: string }, { name }: Pick<TriageInput, 'name'>): { readonly words: readonly string[]; readonly stdin: string | undefined } {
  return { words: [command.shown, ...argumentsFor(command, name)], stdin: takesPath(command) ? undefined : name };
}
