/**
 * A value that was read from the stack although it was never meant for who read it: through a pointer to a variable of
 * a function that has returned, or in a variable that has not been set since its function was called. What lies there
 * was left by another function, and its definition is in order. The read is wrong.
 */
import type { Chain, Link, ValueFlow } from '../../flow/chain.js';
import { Backtrace } from '../../debugger/program/backtrace.js';
import type { Place } from '../../flow/copies/place.js';
import { viewOf } from '../../flow/ownCode.js';
import type { OpDef } from '../../ir/opDef.js';
import { OPS } from '../../ir/ops.js';
import { RBP, RSP } from '../../layout/cpuState.js';
import { guestAddr } from '../../base/types.js';
import type { Position } from '../../replay/log/position.js';
import type { Work } from '../../replay/timeline/work.js';
import { blockAt, evaluationAt, sourcesOf } from '../failure/leaves.js';
import type { Suspect } from '../failure/suspects.js';

/** Reads of a chain that are looked at, the newest first. */
const MOST_READS = 4;
const DEEPEST = 64;
const WORD = 8n;
/** Bytes below the stack pointer that a function may use, and that a returned one may have used. */
const STACK = 8 << 20;

/** The read, if there is such a one. The execution moves. */
export async function danglingRead(flow: ValueFlow, { place, position, thread }: Suspect, { links }: Chain, work?: Work): Promise<Link | undefined> {
  if (place.kind === 'memory' && (await isNotMeant(flow, { place, position, thread }, links[0], work))) {
    return { kind: 'copy', position, thread, rip: await ripAt(flow, position, thread, work), place, value: flow.valueOf(place, thread) };
  }
  let left = MOST_READS;
  for (const [i, link] of links.entries()) {
    if (link.from?.kind !== 'memory' || link.rip === 0 || left-- <= 0) continue;
    if (await isNotMeant(flow, { place: link.from, position: link.position, thread: link.thread }, links[i + 1], work)) return link;
  }
  return undefined;
}

async function isNotMeant(flow: ValueFlow, read: Read, writer: Link | undefined, work: Work | undefined): Promise<boolean> {
  return (await isLeftOver(flow, read, writer, work)) || (await isDangling(flow, read, work));
}

/** It lies in the frame of a function that was called after it was written. */
async function isLeftOver(flow: ValueFlow, { place, position, thread }: Read, writer: Link | undefined, work: Work | undefined): Promise<boolean> {
  if (place.kind !== 'memory' || writer === undefined || writer.rip === 0 || writer.thread !== thread || writer.place.kind !== 'memory') return false;
  await flow.execution.seek(position, work);
  const stack = Number(flow.execution.state.register(thread, 'rsp') ?? 0n);
  if (Math.abs(place.address - stack) > STACK) return false;
  const frame = framesAt(flow, thread).find(({ cfa }) => cfa - WORD > BigInt(place.address));
  if (frame === undefined) return false;
  // Who is jumped to in place of a return gets the return address of the function that jumped.
  const called = await flow.execution.backward([{ kind: 'address', addresses: [guestAddr(Number(frame.code))] }], work, {
    accepts: ({ task }, state) => task === thread && state.register(task, 'rsp') === frame.cfa - WORD,
  });
  return called !== undefined && writer.position.time < called.position.time;
}

async function ripAt(flow: ValueFlow, position: Position, thread: number, work: Work | undefined): Promise<number> {
  await flow.execution.seek(position, work);
  return Number(flow.execution.state.register(thread, 'rip') ?? 0n);
}

interface Read {
  readonly place: Place;
  readonly position: Position;
  readonly thread: number;
}

async function isDangling(flow: ValueFlow, { place, position, thread }: Read, work: Work | undefined): Promise<boolean> {
  if (place.kind !== 'memory') return false;
  const { execution } = flow;
  await execution.seek(position, work);
  const { state } = execution;
  const stack = Number(state.register(thread, 'rsp') ?? 0n);
  if (Math.abs(place.address - stack) > STACK) return false;
  const block = blockAt(state, thread);
  if (block === null) return false;
  const evaluation = evaluationAt(state, thread, block);
  const pointers = block.nodes.flatMap((node) => {
    const def = OPS[node.op] as OpDef;
    return def.effect === 'load' && evaluation.address(node) === place.address ? sourcesOf(block, node.a, evaluation) : [];
  });
  const living = framesAt(flow, thread);
  for (const pointer of pointers) {
    if (pointer.kind === 'register' && (pointer.offset === RSP.offset || pointer.offset === RBP.offset)) continue;
    const { links } = await flow.origin(position, thread, pointer, { work, isPointer: true });
    const made = links.at(-1);
    if (made?.kind !== 'address' || made.thread !== thread) continue;
    await execution.seek(made.position, work);
    const [frame] = framesAt(flow, thread);
    if (frame !== undefined && !living.some(({ cfa, code }) => cfa === frame.cfa && code === frame.code)) return true;
  }
  return false;
}

/** Of functions that have not returned, the innermost first. */
function framesAt(flow: ValueFlow, thread: number): readonly { readonly cfa: bigint; readonly code: bigint }[] {
  const view = viewOf(flow.execution.state, thread, flow.modules);
  return view === undefined ? [] : new Backtrace(view).frames(DEEPEST).map((frame) => ({ cfa: frame.stackId.stack, code: frame.stackId.code }));
}
