/**
 * Where a block was freed, or the function of a local variable returned, what it held then, and how that is said. The
 * execution moves.
 */
import { type GuestAddr, guestAddr } from '../../base/types.js';
import { at, comparePositions, type Position } from '../../replay/log/position.js';
import type { ShownBlock } from '../../replay/timeline/blockAddresses.js';
import type { Execution } from '../../replay/timeline/execution.js';
import type { Work } from '../../replay/timeline/work.js';
import { Backtrace } from '../program/backtrace.js';
import type { VisibleFrame } from '../program/visibleFrame.js';
import type { ViewAt } from './running.js';
import { frameWith } from './watchHits.js';

/** A block of memory that is no more. */
export interface GoneBlock {
  readonly begin: number;
  readonly size: number;
  /** What it held. */
  readonly bytes: Uint8Array;
  /** When: the last position where it was there. */
  readonly position: Position;
  /** Up to where it is known that no other block has its addresses. */
  readonly until: Position;
  /** As stacks are shown, `drop () at list.c:8`: who freed it; or, of a variable, where its function returned to. */
  readonly where: string | undefined;
  /** Of a variable: its function. */
  readonly returned?: string;
}

/** Larger ones are not kept. */
const LARGEST = 64 * 1024 * 1024;
const DEEPEST = 64;
const SYSTEM_PATH = /^\/usr\/(include|lib|src|share)\//;
/** The end of time: blocks of the heap that are there are not looked up. */
const ALWAYS = at(Infinity);

export class GoneSearch {
  constructor(
    private readonly debug: { readonly execution: Execution; readonly viewAt: ViewAt },
    private readonly home: Position,
    private readonly work: Work | undefined,
  ) {}

  /** On the heap. Undefined: it is there, or nothing is known of it. */
  async block(address: GuestAddr): Promise<GoneBlock | undefined> {
    const { debug: { execution }, home, work } = this;
    const hit = await execution.lastBlock(address, home, work);
    if (hit?.block?.how !== 'gone' || hit.block.view.size > LARGEST) return undefined;
    await execution.seek(hit.position, work);
    const { view: { begin, size } } = hit.block;
    const bytes = execution.state.read(hit.task, guestAddr(begin), size);
    return bytes === null ? undefined : { begin, size, bytes, position: hit.position, until: ALWAYS, where: this.placeOf(hit.task) };
  }

  /**
   * A local variable, by when its address was first taken: its function's frame is on the stack of `home`, or has been
   * left.
   */
  async variable({ view: { begin, size }, time }: ShownBlock): Promise<GoneBlock | undefined> {
    const { debug: { execution, viewAt }, home, work } = this;
    await execution.seek(at(time), work);
    const thread = execution.state.current?.id ?? 0;
    const view = viewAt(execution.state, thread);
    const frame = view === undefined ? undefined : new Backtrace(view).innermost;
    const back = frame === undefined ? undefined : view?.pointer(frame.id.stack - 8n);
    if (frame === undefined || back === undefined) return undefined;
    const { id, functionName } = frame;
    await execution.seek(home, work);
    const now = viewAt(execution.state, thread);
    if (now !== undefined && frameWith(now, id) !== undefined) return undefined;
    await execution.seek(at(time), work);
    const returned = await execution.forward([{ kind: 'address', addresses: [guestAddr(Number(back))] }], work, {
      accepts: ({ task }, state) => task === thread && (state.register(thread, 'rsp') ?? 0n) >= id.stack,
    });
    if (returned === undefined || comparePositions(returned.position, home) > 0) return undefined;
    const bytes = execution.state.read(thread, guestAddr(begin), size);
    return bytes === null ? undefined : { begin, size, bytes, position: returned.position, until: home, where: this.placeOf(thread, 0), returned: functionName ?? '??' };
  }

  /**
   * Where the execution stands: the innermost line of the user's own, from a level on; the function that frees is level
   * 0.
   */
  private placeOf(thread: number, from = 1): string | undefined {
    const { execution, viewAt } = this.debug;
    const view = viewAt(execution.state, thread);
    const frames = view === undefined ? [] : new Backtrace(view).frames(DEEPEST).filter(({ level }) => level >= from);
    const frame = frames.find((one) => one.line !== 0 && !SYSTEM_PATH.test(one.path ?? '')) ?? frames.find((one) => one.line !== 0) ?? frames[0];
    return frame === undefined ? undefined : placeText(frame);
  }
}

function placeText({ functionName, fileName, line }: VisibleFrame): string {
  return `${functionName ?? '??'} ()${line === 0 ? '' : ` at ${fileName}:${line}`}`;
}

/** For the user, beside what it held. */
export function goneText({ begin, size, position: { time }, where, returned }: GoneBlock): string {
  const [address, when] = [`0x${begin.toString(16)}`, `at time ${time.toLocaleString('en-US')}`];
  if (returned !== undefined) return `The variable at ${address} is gone: ${returned} () returned ${when}${where === undefined ? '' : ` to ${where}`}: this is what it held then.`;
  return `The block of ${size} bytes at ${address} was freed ${when}${where === undefined ? '' : ` in ${where}`}: this is what it held then.`;
}
