/** `culprit origin`: the lines that a value went through, back to where it was made. */
import { jsonText, visibleLine } from '../../base/visible.js';
import { UserError } from '../../base/errors.js';
import { hex } from '../../base/types.js';
import type { Debugger } from '../../debugger/control/debugger.js';
import type { VisibleFrame } from '../../debugger/program/visibleFrame.js';
import { ValueFlow } from '../../flow/chain.js';
import { chainText, how } from '../../flow/chainText.js';
import { placeText } from '../../flow/copies/place.js';
import { type DescribedChain, describeChain } from '../../flow/describe.js';
import { contextOf } from '../../flow/ownCode.js';
import { questionAbout } from '../../flow/question.js';
import { at } from '../../replay/log/position.js';
import type { CheckpointMemoryOptions } from '../arguments/checkpointMemory.js';
import { openedDebugger } from '../opening/openedDebugger.js';
import { statusOn, tellLoss } from '../opening/lost.js';
import { checkTime } from '../opening/openedRecording.js';
import { ReaderGone, writeFully } from '../output/output.js';
import { Progress } from '../output/progress.js';

export interface OriginOptions extends CheckpointMemoryOptions {
  readonly at?: number;
  readonly thread?: number;
  readonly frame?: number;
  readonly limit?: number;
  readonly json?: boolean;
}

const STDOUT = 1;

export async function originCommand(path: string, expression: string, options: OriginOptions): Promise<number> {
  const progress = new Progress('searching', options.json !== true);
  const work = { progress: (done: number, total: number) => progress.report(done / total) };
  const { debug, recording } = await openedDebugger(path, work, { checkpointMemory: options.checkpointMemory });
  progress.clear();
  tellLoss(recording);
  if (options.at !== undefined) {
    checkTime(recording, options.at);
    await debug.goTo(at(options.at), work);
  }
  const frame = frameOf(debug, options);
  const { backtrace, execution } = debug;
  if (backtrace === undefined) throw new UserError('there is no thread at that time');
  const { time } = debug.position;
  const question = await questionAbout(expression, backtrace, frame, execution, work);
  const flow = new ValueFlow(execution, debug.modules);
  const chain = await flow.origin(question.position, question.thread, question.place, { work, ...(options.limit === undefined ? {} : { limit: options.limit }) });
  const described = await describeChain(flow, chain, debug.sources, work);
  progress.clear();
  try {
    if (options.json === true) say(jsonText(asJson(described, { expression, time, value: question.value }), 2));
    else say([visibleLine(`${expression} = ${question.value}`), ...chainText(described)].join('\n'));
  } catch (error) {
    if (!(error instanceof ReaderGone)) throw error;
  }
  return statusOn(recording, 0);
}

/** Where expressions are meant: by default the innermost frame that has source. */
function frameOf(debug: Debugger, { thread, frame }: OriginOptions): VisibleFrame | undefined {
  if (thread !== undefined) debug.selectThread(threadNumbered(debug, thread));
  if (frame !== undefined) return debug.selectFrame(frame);
  const program = debug.program();
  return (program === undefined ? undefined : contextOf(program).frame) ?? debug.frame;
}

/** As "info threads" numbers them. */
function threadNumbered(debug: Debugger, number: number): number {
  const pid = debug.thread?.pid;
  const found = debug.threads.filter((thread) => thread.pid === pid)[number - 1];
  if (found === undefined) throw new UserError(`no thread ${number} at that time`);
  return found.id;
}

function asJson({ links, isComplete, steps }: DescribedChain, asked: { readonly expression: string; readonly time: number; readonly value: string }): unknown {
  return {
    ...asked, steps, isComplete,
    links: links.map((link, i) => ({
      time: link.time, thread: link.thread, address: hex(link.address), kind: link.kind, how: how(link, links[i + 1]),
      function: link.functionName, file: link.path, line: link.line, text: link.text, target: link.target, source: link.source, value: link.value,
      offset: link.offset === undefined ? undefined : String(link.offset), called: link.called,
      instructions: link.links.map((own) => ({
        time: own.position.time, thread: own.thread, address: hex(own.rip), kind: own.kind, place: placeText(own.place),
        from: own.from === undefined ? undefined : placeText(own.from), value: `0x${own.value.toString(16)}`,
      })),
    })),
  };
}

function say(text: string): void {
  writeFully(STDOUT, new TextEncoder().encode(`${text}\n`));
}
