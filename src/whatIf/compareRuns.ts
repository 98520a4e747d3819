/**
 * What differs between two runs: what they wrote, how they ended, where they parted, and what they left in variables.
 */
import { signalName } from '../base/signalNames.js';
import { Backtrace } from '../debugger/program/backtrace.js';
import { ProgramView } from '../debugger/program/programView.js';
import type { VisibleFrame } from '../debugger/program/visibleFrame.js';
import type { FrameEvaluator } from '../debugger/values/frameEvaluator.js';
import { unlessCorrupt } from '../dwarf/dwarfError.js';
import type { BranchExecution, BranchOutput } from '../replay/branch/branchExecution.js';
import { at } from '../replay/log/position.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { Work } from '../replay/timeline/work.js';
import { UserError } from '../base/errors.js';
import type { FindingsDifference } from './findings.js';
import { type Parting, partingOf, type Run, type SourceOfLines } from './parting.js';
import { type RecordedEnd, recordedEnd, recordedOutput } from './recordedOutput.js';

export interface OutputDifference {
  readonly stream: 'stdout' | 'stderr';
  /** From the program's start on. */
  readonly offset: number;
  /** The line around it, of each. */
  readonly lines: readonly [string, string];
}

export interface VariableDifference {
  readonly name: string;
  /** The function that has it; undefined for globals. */
  readonly function: string | undefined;
  /** As print shows them; undefined where it has no value. */
  readonly values: readonly [string | undefined, string | undefined];
}

export interface RunComparison {
  readonly output: readonly OutputDifference[];
  /** How each ended. */
  readonly ends: readonly [string, string];
  readonly instructions: readonly [number, number];
  readonly parting: Parting | undefined;
  readonly variables: readonly VariableDifference[];
  /** Of `culprit check`, if they were asked for. */
  readonly findings?: FindingsDifference;
}

const MOST_FRAMES = 64;
const MOST_VARIABLES = 500;
const OF_STREAMS = [['stdout', 1], ['stderr', 2]] as const;

/** Both are run to their ends, where they stand then. */
export async function compareRuns(a: Run, b: Run, source: SourceOfLines, evaluator: FrameEvaluator, work?: Work): Promise<RunComparison> {
  const parting = await partingOf(a, b, source, work);
  const [left, right] = [await seenAtEnd(a, source, evaluator, work), await seenAtEnd(b, source, evaluator, work)];
  const output = OF_STREAMS.flatMap(([stream, fd]) => outputDifference(stream, streamOf(left.output, fd), streamOf(right.output, fd)));
  return { output, ends: [left.end, right.end], instructions: [left.instructions, right.instructions], parting, variables: [...globalDifferences(left, right), ...localDifferences(left, right)] };
}

interface SeenFrame {
  readonly name: string | undefined;
  readonly locals: ReadonlyMap<string, string>;
}

interface SeenAtEnd {
  readonly output: readonly BranchOutput[];
  readonly end: string;
  readonly instructions: number;
  readonly globals: ReadonlyMap<string, string>;
  /** Outermost first. */
  readonly frames: readonly SeenFrame[];
}

async function seenAtEnd({ execution, before }: Run, { modules }: SourceOfLines, evaluator: FrameEvaluator, work: Work | undefined): Promise<SeenAtEnd> {
  await execution.seekEnd(work);
  const { state, endTime: instructions } = execution;
  const thread = state.current ?? state.threads[0];
  const earlier = before === undefined ? [] : recordedOutput(before, execution.start);
  const own = isBranch(execution) ? await allOutput(execution, work) : recordedOutput(execution, at(execution.endTime));
  const end = isBranch(execution) ? endOf(execution) : endText(recordedEnd(execution));
  const told = { output: [...earlier, ...own], end, instructions };
  if (thread === undefined) return { ...told, globals: new Map(), frames: [] };
  const program = new ProgramView(execution.state, thread, modules);
  const frames = new Backtrace(program, { hidden: 0, tailCalls: true }).frames(MOST_FRAMES);
  const value = (name: string, frame: VisibleFrame | undefined): string | undefined => {
    try {
      return evaluator.evaluate(name, program, frame).text;
    } catch (error) {
      if (error instanceof UserError) return undefined;
      throw error;
    }
  };
  const valuesOf = (names: readonly string[], frame: VisibleFrame | undefined): Map<string, string> => new Map(names.flatMap((name) => {
    const text = value(name, frame);
    return text === undefined ? [] : [[name, text] as const];
  }));
  return {
    ...told, globals: valuesOf(globalNames(program), frames.at(-1)),
    frames: frames.toReversed().map((frame) => ({ name: frame.functionName, locals: valuesOf(localNames(frame), frame) })),
  };
}

function isBranch(execution: Execution): execution is BranchExecution {
  return 'departure' in execution;
}

/** The last thing that happens may write, too. */
async function allOutput(branch: BranchExecution, work: Work | undefined): Promise<readonly BranchOutput[]> {
  const here = branch.position;
  await branch.seek(at(branch.endTime), work);
  const { output } = branch;
  await branch.seek(here, work);
  return output;
}

function globalNames({ modules: { main } }: ProgramView): string[] {
  const info = main?.info;
  if (info === undefined) return [];
  return unlessCorrupt(() => [...info.byName.names('variable')].sort().slice(0, MOST_VARIABLES), () => []);
}

function localNames({ scope }: VisibleFrame): string[] {
  const names: string[] = [];
  for (let around = scope; around !== undefined; around = around.kind === 'block' ? around.parent : undefined) {
    const { variables } = around;
    unlessCorrupt(() => void names.push(...variables.flatMap(({ name }) => (name === undefined ? [] : [name]))), () => undefined);
  }
  return [...new Set(names)];
}

function globalDifferences(a: SeenAtEnd, b: SeenAtEnd): VariableDifference[] {
  return differences(a.globals, b.globals, undefined);
}

/** Of the innermost frame that both have. */
function localDifferences(a: SeenAtEnd, b: SeenAtEnd): VariableDifference[] {
  let common = 0;
  while (common < a.frames.length && common < b.frames.length && a.frames[common]?.name === b.frames[common]?.name) common++;
  const [left, right] = [a.frames[common - 1], b.frames[common - 1]];
  return left === undefined || right === undefined ? [] : differences(left.locals, right.locals, left.name ?? '??');
}

function differences(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>, of: string | undefined): VariableDifference[] {
  return [...new Set([...a.keys(), ...b.keys()])].filter((name) => a.get(name) !== b.get(name)).map((name) => ({ name, function: of, values: [a.get(name), b.get(name)] }));
}

function streamOf(output: readonly BranchOutput[], wanted: number): string {
  return output.filter(({ fd }) => (fd === 2) === (wanted === 2)).map(({ bytes }) => String.fromCharCode(...bytes)).join('');
}

function outputDifference(stream: OutputDifference['stream'], a: string, b: string): OutputDifference[] {
  if (a === b) return [];
  let offset = 0;
  while (offset < a.length && offset < b.length && a[offset] === b[offset]) offset++;
  return [{ stream, offset, lines: [lineAround(a, offset), lineAround(b, offset)] }];
}

function lineAround(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  return new TextDecoder().decode(Uint8Array.from(text.slice(start, end < 0 ? undefined : end), (letter) => letter.charCodeAt(0)));
}

function endOf({ end }: BranchExecution): string {
  switch (end?.kind) {
    case undefined: return 'has not ended';
    case 'ended': return endText(end.status);
    case 'deadlock': return 'waits for ever';
    case 'cutOff': return 'came to where the recording is cut off';
    case 'unsupported': return `cannot go on (${end.why})`;
  }
}

function endText(status: RecordedEnd | undefined): string {
  if (status === undefined) return 'is cut off';
  return status.kind === 'exited' ? `exited with status ${status.code}` : `was killed by ${signalName(status.signal)}`;
}
