/** What the adapter needs of the machine that it runs on. The command hands it in. */
import type { BlameMeans } from '../blame/blame.js';
import type { Debugger } from '../debugger/control/debugger.js';
import type { DebugFiles } from '../debugger/program/debugFiles.js';
import type { Work } from '../replay/timeline/work.js';
import type { Language } from '../terminal/language.js';
import type { FindingsOf } from '../whatIf/findings.js';

export interface RecordRequest {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  /** Added to the program's environment; null takes a name away. None of it is for processes of ours. */
  readonly environment: ReadonlyMap<string, string | null>;
  /** A file that is its standard input; undefined: nothing to be read. */
  readonly stdin: string | undefined;
  /** Where to store it; undefined: somewhere temporary, which goes when the session ends. */
  readonly recording: string | undefined;
}

export interface RecordedProgram {
  /** The recording's file. */
  readonly path: string;
  /** In one line: why there is nothing to debug. */
  readonly failure: string | undefined;
}

/** A program that is being recorded. */
export interface RunningRecorder {
  readonly finished: Promise<RecordedProgram>;
  /** Ends the program; what it did until then can be debugged. */
  stop(): void;
  /** It goes on when we go. */
  leave(): void;
}

/** What is to run in a terminal of the client's. */
export interface TerminalCommand {
  readonly words: readonly string[];
  readonly cwd: string;
}

/** Done when the command has been started. */
export type OpenTerminal = (command: TerminalCommand) => Promise<void>;

export interface DebuggedProgram {
  readonly debug: Debugger;
  /** For the terminal's commands; undefined: there are none. */
  readonly language?: Language | undefined;
  /** Of the program that was recorded. */
  readonly name: string;
  readonly args: readonly string[];
  /** How `blame` runs the program. */
  readonly blameMeans?: BlameMeans | undefined;
  /** How `compare` finds out what rules say of runs. */
  readonly findingsOf?: FindingsOf | undefined;
  /** What the user should know: that the recording is cut off, say. */
  readonly remarks: readonly string[];
}

export interface DapHost {
  readonly version: string;
  readonly files: DebugFiles;
  /** Throws a UserError if it cannot be started at all. */
  record(request: RecordRequest, output: (stream: 'stdout' | 'stderr', text: string) => void): RunningRecorder;
  /** The same where the user can type: the client opens a terminal for it. */
  recordInTerminal(request: RecordRequest, open: OpenTerminal): RunningRecorder;
  /** It stands at the end. Throws a UserError if it is no recording. */
  open(path: string, work: Work): Promise<DebuggedProgram>;
  /** Lets messages come in. */
  breathe(): Promise<void>;
  /** A moment: to look whether something has changed. */
  pause(): Promise<void>;
  /** Milliseconds, from any start. */
  now(): number;
}
