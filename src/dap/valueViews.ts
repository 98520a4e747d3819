/** Expressions and values in a frame that the client names, and what becomes of what they assign. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { UserError } from '../base/errors.js';
import { ChangingSurroundings } from '../debugger/control/changingSurroundings.js';
import type { PendingWrite } from '../debugger/control/branching.js';
import type { GoneBlock } from '../debugger/control/goneSearch.js';
import { ProgramCalls } from '../debugger/control/programCalls.js';
import { addressText } from './addresses.js';
import type { Adapter, FrameReference } from './adapter.js';
import type { Arguments } from './arguments.js';
import type { RequestContext } from './handler.js';
import { ValueView } from './valueView.js';

/** Of no frame: where the selected thread stands, with globals only. */
export function viewIn(adapter: Adapter, at: FrameReference | undefined, args: Arguments, calls?: ProgramCalls): ValueView {
  const program = at?.frame.program ?? adapter.debug.program();
  if (program === undefined) throw new UserError('no thread is left here');
  const frame = at?.frame.kind === 'signal' ? undefined : at?.frame;
  const around = new ChangingSurroundings(program, frame, calls === undefined ? {} : { call: calls.result });
  return new ValueView(program, around, at, adapter.history, adapter.containers, args.object('format').boolean('hex'));
}

/** What `action` makes of a view, again after every call of a function that has to be made for it. */
export async function withCalls<T>(adapter: Adapter, at: FrameReference | undefined, args: Arguments, request: RequestContext, action: (view: ValueView) => T): Promise<T> {
  const calls = new ProgramCalls(adapter.debug);
  return calls.complete(() => action(viewIn(adapter, at, args, calls)), (call) => {
    if (at !== undefined) adapter.select(at);
    return request.doing('Calling a function', call);
  });
}

/**
 * What is seen also of blocks that are no more, and which those are: to find them the execution goes back, and comes
 * again.
 */
export async function seeing<T>(adapter: Adapter, request: RequestContext, look: () => T | Promise<T>): Promise<{ readonly seen: T; readonly gone: readonly GoneBlock[] }> {
  return request.doing('Looking for freed memory', (work) => adapter.debug.seeing(look, work));
}

export function frameOf(adapter: Adapter, args: Arguments): FrameReference | undefined {
  void adapter.debug;
  const id = args.optionalInteger('frameId');
  return id === undefined ? undefined : adapter.frames.get(id);
}

/**
 * Makes changes true, in a branch. Everything that the client knows of the program is void then: it is told so, and the
 * user is told where he is.
 */
export async function commitWrites(adapter: Adapter, writes: readonly PendingWrite[], thread: number, request: RequestContext): Promise<void> {
  if (writes.length === 0) return;
  const { debug } = adapter;
  const wasRecording = debug.branch === undefined;
  if (debug.thread?.id !== thread) debug.selectThread(thread);
  await request.doing('Beginning a branch', (work) => debug.write(writes, work));
  if (wasRecording) adapter.say(`You are in a branch now, which began at time ${debug.position.time}: from here on it is not what was recorded. To leave it, go to a time before it, or drop it (Culprit: Leave the Branch).`);
  adapter.moved();
  request.afterwards(() => {
    if (adapter.client.knowsInvalidation) adapter.send<DebugProtocol.InvalidatedEvent>('invalidated', { areas: ['all'] });
    for (const write of writes) {
      if (write.kind !== 'memory' || !adapter.client.knowsMemoryEvents) continue;
      adapter.send<DebugProtocol.MemoryEvent>('memory', { memoryReference: addressText(write.address), offset: 0, count: write.bytes.length });
    }
  });
}
