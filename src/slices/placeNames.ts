/**
 * Names of what edges are due to. Global variables have theirs at all times; local variables have their addresses only
 * for a while, so they are looked up where they got their values: in the frames that were there then.
 */
import { guestAddr, hex } from '../base/types.js';
import { Backtrace } from '../debugger/program/backtrace.js';
import type { ProgramView } from '../debugger/program/programView.js';
import type { VisibleFrame } from '../debugger/program/visibleFrame.js';
import { Expressions } from '../debugger/values/expressions.js';
import { ProgramSurroundings } from '../debugger/values/programSurroundings.js';
import { Naming } from '../flow/naming.js';
import { isOwn, viewOf } from '../flow/ownCode.js';
import { at } from '../replay/log/position.js';
import type { Work } from '../replay/timeline/work.js';
import type { NameOf } from './edgeText.js';
import { frameSlotName } from './frameSlots.js';
import { MEMORY } from './graph.js';
import type { Slice } from './slice.js';
import type { SliceSubject } from './subject.js';
import { whereabouts } from './whereabouts.js';

/** Of which names are looked up: others are told by their addresses. */
const MOST_LOOKED_UP = 500;
const DEEPEST = 8;
const ERRNO_SIZE = 4n;

/** What is to be named: an address, and when it was given its value. */
interface NamedEdge {
  /** A cell, or MEMORY + an address. */
  readonly place: number;
  readonly time: number;
  /** The file of the line that is told to have defined it. */
  readonly path?: string | undefined;
}

/** The execution stands where it did afterwards. */
export async function placeNames({ execution, modules, sources }: SliceSubject, edges: Iterable<NamedEdge>, work?: Work): Promise<NameOf> {
  const names = new Map<string, string | undefined>();
  const asked = [...edges].filter(({ place }) => place > MEMORY).sort((a, b) => a.time - b.time || a.place - b.place);
  const home = execution.position;
  try {
    for (const { place, time, path } of asked) {
      const address = place - MEMORY;
      const key = keyOf(address, time);
      if (names.has(key) || names.size >= MOST_LOOKED_UP) continue;
      await execution.seek(at(time), work);
      const thread = execution.state.current;
      const view = thread === undefined ? undefined : viewOf(execution.state, thread.id, modules);
      const textOf = (frame: VisibleFrame): string => (frame.path === undefined ? '' : (sources.line(frame.path, frame.line) ?? ''));
      names.set(key, view === undefined ? undefined : nameIn(view, address, path, textOf));
    }
  } finally {
    await execution.seek(home, work);
  }
  return (address, time) => names.get(keyOf(address, time));
}

function keyOf(address: number, time: number): string {
  return `${address} ${time}`;
}

/** What libraries call their variables tells their users nothing, unless they look into them: who stored there does. */
function nameIn(view: ProgramView, address: number, shown: string | undefined, textOf: (frame: VisibleFrame) => string): string | undefined {
  const frames = new Backtrace(view).frames(DEEPEST);
  const slot = frameSlotName(view, frames, BigInt(address));
  if (slot !== undefined) return slot;
  if (isErrno(view, BigInt(address))) return 'errno';
  const { called, isInHeap } = whereabouts(view);
  const byLibrary = called === undefined ? undefined : `${isInHeap ? "heap's " : ''}${hex(address)} by ${called}`;
  let isInnermost = true;
  for (const frame of frames) {
    const isShownLibrary = frame.line > 0 && frame.path === shown && !isOwn(view, frame);
    if (!isShownLibrary && (isInHeap || !isOwn(view, frame))) continue;
    // What lies behind a pointer that a caller's line speaks of is not what that line means.
    const naming = new Naming(new Expressions(new ProgramSurroundings(view, frame)), isInnermost ? textOf(frame) : '', true);
    const found = naming.nameOf({ kind: 'memory', address: guestAddr(address), size: 1 }, 0n);
    if (found !== undefined) return found.name;
    isInnermost = false;
  }
  return symbolAt(view, address) ?? byLibrary;
}

/** What the macro of that name stands for: a variable of the thread, in the C library. */
function isErrno(view: ProgramView, address: bigint): boolean {
  return view.symbols.named('errno').some(({ kind, module, address: offset }) => {
    const start = kind === 'threadLocal' ? view.tlsAddress(module, offset) : undefined;
    return start !== undefined && address >= start && address < start + ERRNO_SIZE;
  });
}

/** Without debug information: the symbol, and how far behind its beginning. */
function symbolAt(view: ProgramView, address: number): string | undefined {
  const found = view.symbols.at(BigInt(address));
  return found === undefined ? undefined : found.offset === 0 ? found.symbol.name : `${found.symbol.name}+${found.offset}`;
}

/** Those that a listing of a slice tells. */
export async function namesIn({ members, criterion }: Slice, subject: SliceSubject, work?: Work): Promise<NameOf> {
  const edges = [...criterion, ...members.flatMap((member) => member.edges)];
  return placeNames(subject, edges.map(({ place, time, to: { path } }) => ({ place, time, path })), work);
}
