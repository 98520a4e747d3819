/**
 * Calls of a function that are under way at a place, found by what they have left on stacks: where a call returns to
 * lies there until it does.
 */
import { guestAddr } from '../../../base/types.js';
import { RSP } from '../../../layout/cpuState.js';
import type { RegisterTest } from '../../../ir/registerTest.js';
import type { Position } from '../../../replay/log/position.js';
import { memoryRange } from '../../../replay/timeline/conditions.js';
import type { Execution } from '../../../replay/timeline/execution.js';
import { quietly, type Work } from '../../../replay/timeline/work.js';
import type { CallBreakpoint } from '../breakpoints.js';
import { truthOf } from './callCondition.js';
import { answer } from './callFacts.js';
import { addressed } from './callPoints.js';
import { isCodeThere, type TrackedCall } from './callTracker.js';

/** Where on a thread's stack the address is that a call returns to. */
export interface OpenSlot {
  readonly thread: number;
  readonly slot: bigint;
  readonly returnsTo: number;
}

const STACK_REGISTER = RSP.offset / 8;
const PIECE = 4096;
/** Deep recursion has the rest of it. */
const MOST_LOOKED_AT = 1 << 20;

/** All that may be under way at a place, in all threads. The execution is there then. */
export async function openSlots(execution: Execution, { returns }: CallBreakpoint, place: Position, work: Work | undefined): Promise<OpenSlot[]> {
  await execution.seek(place, quietly(work));
  const { state } = execution;
  return state.threads.flatMap(({ id: thread }) => {
    const found: OpenSlot[] = [];
    const begin = Number(state.register(thread, 'rsp') ?? 0n);
    for (let at = begin, length = PIECE - (begin % PIECE); at < begin + MOST_LOOKED_AT; at += length, length = PIECE) {
      const bytes = begin % 8 === 0 ? state.read(thread, guestAddr(at), length) : null;
      if (bytes === null) break;
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      for (let offset = 0; offset < length; offset += 8) {
        const returnsTo = view.getUint32(offset, true) + view.getUint32(offset + 4, true) * 0x1_0000_0000;
        if (returns.has(returnsTo)) found.push({ thread, slot: BigInt(at + offset), returnsTo });
      }
    }
    return found;
  });
}

/**
 * Calls that are under way at a place and return by that slot: several if one has jumped to the function again. None if
 * what lies there is left over from an earlier call. The execution is somewhere else then.
 */
export async function callsBy({ thread, slot, returnsTo }: OpenSlot, execution: Execution, point: CallBreakpoint, place: Position, work: Work | undefined): Promise<TrackedCall[]> {
  const written = await execution.lastWrite([memoryRange(guestAddr(Number(slot)), 8)], place, quietly(work));
  if (written === undefined) return [];
  let calls: TrackedCall[] = [];
  const conditions = [addressed(point.entries, stackIs(slot)), addressed([returnsTo], stackIs(slot + 8n))];
  await execution.each(conditions, ({ task, position, rip }) => {
    if (task !== thread) return 'go on';
    if (rip === returnsTo) calls = [];
    else calls.push({ entry: { position, thread, stack: slot }, returnsTo, answers: [], truth: undefined });
    return 'go on';
  }, written.position, place, quietly(work));
  const own: TrackedCall[] = [];
  for (const call of calls) {
    await execution.seek(call.entry.position, quietly(work));
    const { state } = execution;
    if (!isCodeThere(point.code, guestAddr(Number(state.register(thread, 'rip') ?? 0n)), state, thread)) continue;
    const { questions, test } = point.when;
    const answers = questions.map((question) => (question.kind === 'argument' ? answer(question, state, thread) : undefined));
    own.push({ ...call, answers, truth: truthOf(test, answers) });
  }
  return own;
}

function stackIs(value: bigint): RegisterTest {
  return { kind: 'compare', register: STACK_REGISTER, bytes: 8, isSigned: false, comparison: '==', value };
}
