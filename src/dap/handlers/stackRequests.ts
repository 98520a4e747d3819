/** Requests about threads and their stacks. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { VisibleFrame } from '../../debugger/program/visibleFrame.js';
import type { Adapter } from '../adapter.js';
import { addressText } from '../addresses.js';
import { exceptionOf } from '../exceptions.js';
import type { Body, Handler, Handlers } from '../handler.js';
import { moduleId } from '../moduleIds.js';

const threads: Handler = (adapter): Body<DebugProtocol.ThreadsResponse> => ({ threads: [...adapter.threads] });

/** Clients without paging get so many frames of an endless stack. */
const MOST_FRAMES = 1000;

const stackTrace: Handler = (adapter, args): Body<DebugProtocol.StackTraceResponse> => {
  const thread = args.integer('threadId');
  const { debug } = adapter;
  const backtrace = debug.backtraceOf(thread);
  if (backtrace === undefined) return { stackFrames: [], totalFrames: 0 };
  const start = Math.max(0, args.optionalInteger('startFrame') ?? 0);
  const levels = args.optionalInteger('levels') ?? 0;
  const end = start + (levels > 0 ? Math.min(levels, MOST_FRAMES) : MOST_FRAMES);
  const known = backtrace.frames(end + 1);
  const stackFrames = known.slice(start, end).map((frame) => shownFrame(adapter, thread, frame));
  // More than there are so far: then the client asks for more.
  return { stackFrames, totalFrames: known.length > end ? end + MOST_FRAMES : known.length };
};

function shownFrame(adapter: Adapter, thread: number, frame: VisibleFrame): DebugProtocol.StackFrame {
  const { client, sources, frames } = adapter;
  const { path, line, module } = frame;
  const hasSource = path !== undefined && line > 0;
  return {
    id: frames.add({ thread, frame }),
    name: nameOf(frame),
    line: hasSource ? client.line(line) : 0,
    column: hasSource ? client.column : 0,
    instructionPointerReference: addressText(frame.pc),
    ...(hasSource ? { source: sources.of(path) } : {}),
    ...(module === undefined ? {} : { moduleId: moduleId(module) }),
    presentationHint: frame.kind === 'signal' ? 'label' : hasSource ? 'normal' : 'subtle',
  };
}

function nameOf(frame: VisibleFrame): string {
  if (frame.kind === 'signal') return '<signal handler called>';
  const name = frame.functionName ?? addressText(frame.pc);
  return frame.kind === 'inlined' ? `${name} (inlined)` : name;
}

const exceptionInfo: Handler = (adapter, args): Body<DebugProtocol.ExceptionInfoResponse> => {
  args.integer('threadId');
  const stop = adapter.debug.lastStop;
  const signal = stop.kind === 'signal' ? stop.signal
    : stop.kind === 'catchpoint' && stop.event.kind === 'signal' ? stop.event.signal
    : stop.kind === 'end' && stop.ending.how === 'signaled' ? stop.ending.code : undefined;
  if (signal === undefined) {
    const what = stop.kind === 'catchpoint' ? stop.event.kind : 'none';
    return { exceptionId: what === 'none' ? 'none' : `C++ ${what}`, description: what === 'none' ? 'The program did not stop for an exception.' : `C++ exception: ${what}`, breakMode: 'always' };
  }
  const { id, description } = exceptionOf(signal);
  return { exceptionId: id, description, breakMode: stop.kind === 'end' ? 'unhandled' : 'always' };
};

export const stackRequests: Handlers = { threads, stackTrace, exceptionInfo };
