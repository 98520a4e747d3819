/**
 * What the terminal needs of the world: somewhere to write, a user to ask, files to read. The command hands it in.
 */
import type { Work } from '../replay/timeline/work.js';

export interface Surface {
  /** To standard output. What would control a terminal is shown, unless it is a colour of ours. */
  write(text: string): void;
  /** The same without a change: what the user has put together himself. */
  writeAsIs(text: string): void;
  /** A message of an error or a warning, without the end of its line. */
  complain(line: string): void;
  /** Whether a person looks at the output. */
  readonly isTerminal: boolean;
  readonly hasColour: boolean;
  /** Columns and rows of the window; undefined where there is none. */
  readonly size: { readonly columns: number; readonly rows: number } | undefined;
  /** A question that is answered with y or n; true where no user can be asked. */
  confirm(question: string): Promise<boolean>;
  /** The next line of whatever commands come from (`commands`, `define`); undefined at its end. */
  nextLine(prompt: string): Promise<string | undefined>;
  /** Undefined if it cannot be read. */
  readText(path: string): string | undefined;
  /** Undefined where nothing is to be written. Throws a UserError. */
  writeText?(path: string, text: string): void;
  shell(command: string): Promise<void>;
  /** Progress and cancelling of something that may take long. */
  startWork(what: string): StartedWork;
}

export interface StartedWork extends Work {
  /** To be called when it is over. */
  done(): void;
}
