/** `culprit slice`: what something depended on. */
import { UserError } from '../../base/errors.js';
import { jsonText, visibleLine } from '../../base/visible.js';
import { hex } from '../../base/types.js';
import type { Debugger } from '../../debugger/control/debugger.js';
import { parseStatement } from '../../debugger/program/statementText.js';
import type { RelevantQuestion, RelevantResult } from '../../probe/relevant.js';
import { relevantJson, relevantLines } from '../../probe/relevantText.js';
import { at } from '../../replay/log/position.js';
import type { Work } from '../../replay/timeline/work.js';
import { dotLines } from '../../slices/dot.js';
import { dueTo, type NameOf } from '../../slices/edgeText.js';
import { listing } from '../../slices/listing.js';
import { namesIn } from '../../slices/placeNames.js';
import { comparePlaces, type MemberEdge, type Slice } from '../../slices/slice.js';
import { type SliceOptions, Slices } from '../../slices/slices.js';
import type { CheckpointMemoryOptions } from '../arguments/checkpointMemory.js';
import { openedDebugger } from '../opening/openedDebugger.js';
import { statusOn, tellLoss } from '../opening/lost.js';
import { checkTime } from '../opening/openedRecording.js';
import { LineWriter, untilReaderGone } from '../output/output.js';
import { Progress } from '../output/progress.js';

export interface SliceCommandOptions extends CheckpointMemoryOptions {
  readonly at?: number;
  readonly data?: boolean;
  readonly control?: boolean;
  readonly intoLibraries?: boolean;
  readonly frames?: boolean;
  readonly forward?: boolean;
  readonly relevant?: boolean;
  readonly most?: number;
  readonly edges?: boolean;
  readonly list?: boolean;
  readonly dot?: boolean;
  readonly json?: boolean;
}

/** `words`: a statement, if the first is one, and what is asked for there. */
export async function sliceCommand(path: string, words: readonly string[], options: SliceCommandOptions): Promise<number> {
  if (options.relevant === true && (options.forward === true || options.dot === true)) throw new UserError('--relevant is for backward slices, and no part of a graph: not with --forward or --dot');
  const progress = new Progress('slicing', options.json !== true);
  const work = { progress: (done: number, total: number) => progress.report(done / total) };
  const { debug, recording } = await openedDebugger(path, undefined, { checkpointMemory: options.checkpointMemory });
  tellLoss(recording);
  if (options.at !== undefined) {
    checkTime(recording, options.at);
    await debug.goTo(at(options.at));
  }
  const [first, ...others] = words;
  const isStatement = first !== undefined && parseStatement(first) !== undefined;
  const kind = options.data === true && options.control !== true ? 'data' : options.control === true && options.data !== true ? 'control' : undefined;
  const shape: SliceOptions = { ...(kind === undefined ? {} : { kind }), intoLibraries: options.intoLibraries === true, frames: options.frames === true, inOwnFrame: true };
  const slices = new Slices(debug);
  if (options.forward === true && (!isStatement || others.length > 0)) throw new UserError('--forward wants a statement: FILE:LINE or FILE:LINE#N, and nothing else');
  const slice = options.forward === true ? await slices.forward(first as string, shape, work) : await slices.backward(isStatement ? first : undefined, isStatement ? others : words, shape, work);
  const relevant = options.relevant === true ? await relevantOf(debug, slices, { statement: isStatement ? first : undefined, things: isStatement ? others : words, options: shape, most: options.most }, work) : undefined;
  const nameOf: NameOf = options.list === true ? () => undefined : await namesIn(slice, debug, work);
  progress.clear();
  return untilReaderGone(() => {
    const out = new LineWriter();
    for (const line of linesOf(slice, relevant, debug, nameOf, options)) out.line(visibleLine(line));
    out.flush();
    return statusOn(recording, 0);
  });
}

/** What tries them is loaded when it is asked for. */
async function relevantOf(debug: Debugger, slices: Slices, question: RelevantQuestion, work: Work): Promise<RelevantResult> {
  const { relevantConditions } = await import('../../probe/relevant.js');
  return relevantConditions(debug, slices, question, work);
}

function linesOf(slice: Slice, relevant: RelevantResult | undefined, debug: Debugger, nameOf: NameOf, options: SliceCommandOptions): Iterable<string> {
  const textOf = (path: string, line: number): string | undefined => debug.sources.line(path, line);
  if (options.list === true) {
    const places = [...slice.members, ...(relevant?.conditions ?? [])].filter(({ path }) => path !== undefined).sort(comparePlaces);
    return [...new Set(places.map(({ path, line }) => `${base(path as string)}:${line}`))];
  }
  if (options.dot === true) return dotLines(slice, nameOf);
  if (options.json === true) return jsonText({ ...asJson(slice, nameOf), ...(relevant === undefined ? {} : { relevant: relevantJson(relevant) }) }, 2).split('\n');
  return [...listing(slice, { nameOf, textOf, withoutEdges: options.edges === false }), ...(relevant === undefined ? [] : relevantLines(relevant, textOf))];
}

function base(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function asJson({ title, members, criterion, instances, instructions, distance, inputs }: Slice, nameOf: NameOf): object {
  const edge = (one: MemberEdge): unknown => ({ kind: one.kind, file: one.to.path, line: one.to.line, function: one.to.functionName, time: one.time, due: dueTo(one, nameOf) });
  return {
    criterion: title, instructions, instances, distance,
    members: members.map((member) => ({
      file: member.path, line: member.line, function: member.functionName, count: member.count, first: member.first, last: member.last,
      addresses: member.addresses.map((address) => hex(address)), edges: member.edges.map(edge),
    })),
    criterionEdges: criterion.map(edge),
    inputs: inputs.map(({ position, task, syscall }) => ({ time: position.time, thread: task, syscall })),
  };
}
