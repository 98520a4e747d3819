/** `culprit debug`: the terminal on a recording, or on a program that is recorded first. */
import { bytePath, textOfBytePath } from '../../base/bytePath.js';
import { UserError } from '../../base/errors.js';
import { ValueEvaluator } from '../../debugger/values/valueEvaluator.js';
import type { SliceFiles } from '../../slices/sliceCommands.js';
import { banner } from '../../terminal/banner.js';
import { Terminal } from '../../terminal/terminal.js';
import { ValueLanguage } from '../../terminal/valueLanguage.js';
import { readSpecification } from '../arguments/shapeFiles.js';
import { blameMeans } from '../opening/blameMeans.js';
import { findingsMeans } from '../opening/findingsMeans.js';
import { openedDebugger } from '../opening/openedDebugger.js';
import { statusOn, tellLoss } from '../opening/lost.js';
import { type OpenedRecording } from '../opening/openedRecording.js';
import { ReaderGone } from '../output/output.js';
import { writeUserFile } from '../output/outputFile.js';
import { LEAST_BASE, MOST_BASE, parsePidBase } from '../arguments/pidBaseNumber.js';
import { recordingOf } from '../opening/recordingOrProgram.js';
import { probeThreads } from '../threads/probeThreads.js';
import { NodeSurface } from '../serving/nodeSurface.js';

interface DebugOptions {
  /** What to do first, in order: commands, and files of commands. */
  readonly actions: readonly ({ readonly command: string } | { readonly file: string })[];
  readonly batch: boolean;
  readonly quiet: boolean;
  readonly checkpointMemory?: number | undefined;
  /** Of a program that is recorded first. */
  readonly pidBase?: number;
}

const EXIT_FAILED_COMMAND = 1;

export async function debugCommand(words: readonly string[], options: DebugOptions): Promise<number> {
  const { path } = await recordingOf(words, ['inherit', 'inherit', 'inherit'], options.pidBase);
  const surface = new NodeSurface({ isBatch: options.batch });
  try {
    const { terminal, recording } = await openTerminal(path, surface, options);
    tellLoss(recording);
    if (!options.quiet && !options.batch) surface.write(await banner(terminal.session));
    return statusOn(recording, await converse(terminal, surface, options));
  } catch (error) {
    if (error instanceof ReaderGone) return 0;
    throw error;
  } finally {
    surface.close();
  }
}

async function openTerminal(path: string, surface: NodeSurface, options: DebugOptions): Promise<{ readonly terminal: Terminal; readonly recording: OpenedRecording }> {
  // The debugger needs the evaluator, and the language of the terminal needs the debugger.
  const language: { current?: ValueLanguage } = {};
  const evaluator = new ValueEvaluator(undefined, () => language.current?.settings);
  const work = surface.startWork('going to the end');
  const { debug, recording } = await openedDebugger(path, work, { checkpointMemory: options.checkpointMemory }, evaluator);
  work.done();
  const values = new ValueLanguage(evaluator, debug);
  language.current = values;
  const { program, args } = recording.header;
  const terminal = new Terminal({ debugger: debug, language: values, surface, commandLine: [program, ...args].map((word) => textOfBytePath(bytePath(word))), sliceFiles: sliceFiles(path, surface), attempters: probeThreads(recording.file), blameMeans: blameMeans(recording, debug), findingsOf: findingsMeans(recording), readShape: readSpecification });
  if (options.batch) terminal.session.settings.set(terminal.session.settings.all.find(({ name }) => name === 'confirm') as never, 'off');
  surface.completer = (line) => terminal.complete(line);
  return { terminal, recording };
}

/** Slices are kept beside their recording. */
function sliceFiles(path: string, surface: NodeSurface): SliceFiles {
  return {
    besides: `${path}.slices`,
    read: (file) => surface.readText(file),
    write: writeUserFile,
  };
}

async function converse(terminal: Terminal, surface: NodeSurface, { actions, batch }: DebugOptions): Promise<number> {
  let wentWell = true;
  for (const action of actions) {
    if (terminal.exitStatus !== undefined) break;
    wentWell = await terminal.given('command' in action ? action.command : `source ${action.file}`);
  }
  if (batch) return terminal.exitStatus ?? (wentWell ? 0 : EXIT_FAILED_COMMAND);
  while (terminal.exitStatus === undefined) {
    const line = await surface.nextLine(terminal.prompt);
    if (line === undefined) break;
    await terminal.typed(line);
  }
  return terminal.exitStatus ?? 0;
}

/**
 * Options as gdb has them, with one dash or two, up to the first word that is none; a recording may stand among them.
 */
export function parseDebugArguments(args: readonly string[]): { readonly words: readonly string[]; readonly options: DebugOptions } {
  const actions: ({ readonly command: string } | { readonly file: string })[] = [];
  let [batch, quiet] = [false, false];
  let pidBase: number | undefined;
  const recordings: string[] = [];
  let i = 0;
  const operand = (name: string): string => {
    const value = args[++i];
    if (value === undefined) throw new UserError(`${name} needs an argument; see culprit debug --help`);
    return value;
  };
  for (; i < args.length; i++) {
    const arg = args[i] as string;
    const [, name, value] = /^--?([a-z-]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name === 'ex' || name === 'eval') actions.push({ command: value ?? operand(arg) });
    else if (name === 'x' || name === 'command') actions.push({ file: value ?? operand(arg) });
    else if (name === 'pid-base') pidBase = pidBaseOf(value ?? operand(arg));
    else if (name === 'batch') batch = true;
    else if (name === 'q' || name === 'quiet' || name === 'silent') quiet = true;
    else if (name === 'nx' || name === 'nh' || name === 'args') continue;
    else if (recordings.length === 0 && arg.endsWith('.culprit')) recordings.push(arg);
    else break;
  }
  const first = args[i];
  if (first !== undefined && first.startsWith('-') && first !== '--') throw new UserError(`unknown option '${first}'; see culprit debug --help`);
  const words = [...recordings, ...args.slice(first === '--' ? i + 1 : i)];
  if (words.length === 0) throw new UserError('nothing to debug: give a recording, or a program; see culprit debug --help');
  return { words, options: { actions, batch, quiet, ...(pidBase === undefined ? {} : { pidBase }) } };
}

function pidBaseOf(text: string): number {
  const base = parsePidBase(text);
  if (base === undefined) throw new UserError(`--pid-base ${text}: it should be a number from ${LEAST_BASE} to ${MOST_BASE}`);
  return base;
}
