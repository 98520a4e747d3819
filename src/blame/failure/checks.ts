/**
 * What a check looked at that made the program abort: an assertion, the stack protector, or what libc checks in its
 * heap. The condition that led to the abort is the last conditional jump before it in the function that checks; what
 * its comparison was made of are the places that may be corrupt.
 */
import { guestAddr } from '../../base/types.js';
import { Backtrace } from '../../debugger/program/backtrace.js';
import type { VisibleFrame } from '../../debugger/program/visibleFrame.js';
import type { ValueFlow } from '../../flow/chain.js';
import type { Place } from '../../flow/copies/place.js';
import { isOwn, viewOf } from '../../flow/ownCode.js';
import type { OpDef } from '../../ir/opDef.js';
import { OPS } from '../../ir/ops.js';
import { RDI } from '../../layout/cpuState.js';
import { at, type Position } from '../../replay/log/position.js';
import { memoryRange } from '../../replay/timeline/conditions.js';
import type { Work } from '../../replay/timeline/work.js';
import { whereabouts } from '../../slices/whereabouts.js';
import type { FreeCall } from '../definition/freedTwice.js';
import type { FoundCrash } from './crash.js';
import { blockAt, evaluationAt, Leaves, sourcesOf, statementAt } from './leaves.js';
import type { Suspect } from './suspects.js';

/** A pointer that is freed, and the call that does. */
interface Freed {
  readonly places: readonly Suspect[];
  readonly call: FreeCall | undefined;
}

interface Checked {
  readonly places: readonly Suspect[];
  readonly freeing?: FreeCall;
  readonly checker: string | undefined;
  readonly what: string;
}

/** Functions through which a program ends itself. */
const ENDING = /^_*(GI_+)?(raise|gsignal|pthread_kill\w*|abort|libc_message\w*|malloc_printerr|assert_fail\w*|assert_perror_fail|assert|stack_chk_fail\w*|fortify_fail\w*|chk_fail|libc_fatal|safe_fatal_error|verbose_terminate_handler)(@.*)?$/;
/** Between a check of the heap and `abort`, in libraries without names for them. */
const HEAP_REPORTERS = 2;
const HEAP = /^(free|cfree|realloc|reallocarray|malloc|calloc|memalign|aligned_alloc|posix_memalign|operator (new|delete)(\[\])?)$/;
const FREEING = /^(free|cfree|realloc|reallocarray|operator delete(\[\])?)$/;
const FORTIFIED = /_chk$/;
const DEEPEST = 64;
/** Instructions of the checking function that are looked at. */
const MOST_BACK = 200;

/** The execution moves. */
export async function checkedPlaces(flow: ValueFlow, crash: FoundCrash, work?: Work): Promise<Checked> {
  const { position, thread } = crash;
  const { execution, modules } = flow;
  await execution.seek(position, work);
  const view = viewOf(execution.state, thread, modules);
  if (view === undefined) return { places: [], checker: undefined, what: 'the program aborts' };
  const frames = new Backtrace(view).frames(DEEPEST);
  const { called } = whereabouts(view);
  const ownIndex = frames.findIndex((frame) => isOwn(view, frame));
  const fortified = frames.slice(0, Math.max(ownIndex, 0)).find(({ functionName }) => FORTIFIED.test(functionName ?? ''))?.functionName;
  if (fortified !== undefined) return { places: [], checker: fortified, what: `${fortified.replace(/^_+/, '').replace(/_chk$/, '')} would write beyond its destination` };
  const isHeap = called !== undefined && HEAP.test(called);
  const checking = checkingFrame(frames, ownIndex, isHeap);
  const what = isHeap ? `${called} finds the heap damaged` : aborted(frames);
  const freed = isHeap && FREEING.test(called) && ownIndex > 0 ? await freedPlace(flow, frames[ownIndex - 1] as VisibleFrame, crash, work) : { places: [], call: undefined };
  const places = checking === undefined ? [] : await decidingPlaces(flow, checking, crash, work);
  const checked = places.map((one): Suspect => ({ ...one, role: 'checked' }));
  return { places: [...checked, ...freed.places], checker: isHeap ? called : undefined, what, ...(freed.call === undefined ? {} : { freeing: freed.call }) };
}

function aborted(frames: readonly VisibleFrame[]): string {
  const names = frames.map(({ functionName }) => functionName ?? '');
  if (names.some((name) => name.includes('stack_chk_fail'))) return 'the stack protector finds its guard overwritten';
  if (names.some((name) => name.includes('assert'))) return 'an assertion does not hold';
  return 'the program aborts';
}

interface CheckingFrame {
  readonly frame: VisibleFrame;
  /** What it called last. */
  readonly inner: VisibleFrame;
}

/** The function that has made up its mind to end the program, and the call by which it does. */
function checkingFrame(frames: readonly VisibleFrame[], ownIndex: number, isHeap: boolean): CheckingFrame | undefined {
  let index = frames.findIndex(({ functionName }) => /^_*(GI_)?abort$/.test(functionName ?? ''));
  if (index < 0) index = frames.findIndex(({ functionName }) => !ENDING.test(functionName ?? '')) - 1;
  const lastNamed = frames.findLastIndex(({ functionName }, i) => (ownIndex < 0 || i < ownIndex) && ENDING.test(functionName ?? ''));
  let at = Math.max(index, lastNamed) + 1;
  if (isHeap && lastNamed <= index) at = Math.min(index + 1 + HEAP_REPORTERS, Math.max(ownIndex - 1, 0));
  const [frame, inner] = [frames[at], frames[at - 1]];
  return frame === undefined || inner === undefined ? undefined : { frame, inner };
}

/** What `free` was given. */
async function freedPlace(flow: ValueFlow, outermost: VisibleFrame, { position, thread }: FoundCrash, work: Work | undefined): Promise<Freed> {
  const call = await callOf(flow, outermost, position, work);
  if (call === undefined) return { places: [], call: undefined };
  const entered = at(call.time + 1);
  await flow.execution.seek(call, work);
  const statement = statementAt(flow, thread);
  const leaves = await new Leaves(flow, thread, statement, work).of([{ kind: 'register', offset: RDI.offset, size: 8 }], entered);
  await flow.execution.seek(entered, work);
  const { state } = flow.execution;
  return {
    places: leaves.map((leaf) => ({ ...leaf, role: 'freed' })),
    call: { entry: Number(state.register(thread, 'rip')), position: call, thread, pointer: state.register(thread, 'rdi') ?? 0n },
  };
}

/** When the function of a frame was called: that wrote its return address. */
async function callOf({ execution }: ValueFlow, frame: VisibleFrame, before: Position, work: Work | undefined): Promise<Position | undefined> {
  const slot = guestAddr(Number(frame.stackId.stack) - 8);
  return (await execution.lastWrite([memoryRange(slot, 8)], before, work))?.position;
}

async function decidingPlaces(flow: ValueFlow, { frame, inner }: CheckingFrame, { position: before, thread }: FoundCrash, work: Work | undefined): Promise<readonly Omit<Suspect, 'role'>[]> {
  const call = await callOf(flow, inner, before, work);
  if (call === undefined) return [];
  const compared = await comparison(flow, call, thread, frame.stackId.stack, work);
  if (compared === undefined) return [];
  const { position, places } = compared;
  await flow.execution.seek(position, work);
  const all = await new Leaves(flow, thread, statementAt(flow, thread), work).of(places, position);
  return all.filter(({ place }) => place.kind === 'memory');
}

/** The comparison behind the last conditional jump before a call, in the same frame. */
async function comparison(flow: ValueFlow, call: Position, thread: number, cfa: bigint, work: Work | undefined): Promise<{ readonly position: Position; readonly places: readonly Place[] } | undefined> {
  const { execution } = flow;
  let hasJumped = false;
  for (let time = call.time - 1; time >= Math.max(execution.start.time, call.time - MOST_BACK); time--) {
    await execution.seek(at(time), work);
    const { state } = execution;
    if (state.current?.id !== thread) continue;
    const view = viewOf(state, thread, flow.modules);
    if (view?.innermost().cfa() !== cfa) continue;
    const block = blockAt(state, thread);
    if (block === null) return undefined;
    if (!hasJumped) {
      hasJumped = block.end.kind === 'branch';
      if (hasJumped && block.nodes.some(({ op }) => (OPS[op] as OpDef).effect === 'cc')) continue;
    }
    const flags = block.nodes.filter(({ op }) => (OPS[op] as OpDef).effect === 'cc');
    if (!hasJumped || flags.length === 0) continue;
    const evaluation = evaluationAt(state, thread, block);
    const places = flags.flatMap((node) => [node.b, node.c, node.d].flatMap((value) => sourcesOf(block, value, evaluation)));
    return { position: at(time), places: places.filter((place, i) => places.findIndex((other) => JSON.stringify(other) === JSON.stringify(place)) === i) };
  }
  return undefined;
}
