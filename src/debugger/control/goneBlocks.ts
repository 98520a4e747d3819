/**
 * Blocks that are no more, as they were when they were given back. In a checked run (culprit check) the address of a freed block leads nowhere, and its bytes may serve another block at once; but where a
 * program uses such an address, what it held is what one wants to see. So that is what expressions get: not what is there now, which is somebody else's, but what the block held when it was freed, with a remark that says so.
 *
 * Expressions are evaluated at once, and to find a block the execution has to go back: so an evaluation first fails and notes what it has missed; then the blocks are looked for, and it is evaluated again.
 */
import { comparePositions, type Position } from '../../replay/play/position.js';
import type { Execution } from '../../replay/timeline/execution.js';
import type { State } from '../../replay/timeline/state.js';
import { Cancelled, type Work } from '../../replay/timeline/work.js';
import { Backtrace } from '../program/backtrace.js';
import type { GoneMemory } from '../program/programView.js';
import type { VisibleFrame } from '../program/visibleFrame.js';
import type { ViewAt } from './running.js';

export interface GoneBlock {
  readonly begin: number;
  readonly size: number;
  /** What it held. */
  readonly bytes: Uint8Array;
  /** Right before it was given back, and by whom: as stacks are shown, `drop () at list.c:8`. */
  readonly position: Position;
  readonly where: string | undefined;
}

/** Larger ones are not kept. */
const LARGEST = 64 * 1024 * 1024;
/** So many are looked for at once: of an array of pointers, say. */
const MOST_AT_ONCE = 16;
const DEEPEST = 64;
const SYSTEM_PATH = /^\/usr\/(include|lib|src|share)\//;

export class GoneBlocks implements GoneMemory {
  private known: GoneBlock[] = [];
  /** Addresses of no block, as has been found out. */
  private unknown = new Set<number>();
  private missed = new Set<number>();
  private used = new Set<GoneBlock>();
  private of: Execution | undefined;

  constructor(private readonly debug: { readonly execution: Execution; readonly viewAt: ViewAt }) {}

  read(state: State, thread: number, address: number, size: number): Uint8Array | undefined {
    if (!state.isBlockAddress(thread, address)) return undefined;
    const sameElsewhere = this.underEarlierAddress(state, thread, address, size);
    if (sameElsewhere !== undefined) return sameElsewhere;
    this.forgetOthers();
    const block = this.known.find(({ begin, size: length, position }) => address >= begin && address < begin + length && comparePositions(position, state.position) < 0);
    if (block === undefined) this.missed.add(address);
    if (block === undefined || address + size > block.begin + block.size) return undefined;
    this.used.add(block);
    return block.bytes.slice(address - block.begin, address - block.begin + size);
  }

  /** A block that is not there yet by this address, but by the one that it had before it was resized: that is no block that is gone. */
  private underEarlierAddress(state: State, thread: number, address: number, size: number): Uint8Array | undefined {
    for (const { start, end } of this.debug.execution.meaning([{ start: address, end: address + size }], thread).slice(1)) {
      const bytes = end - start === size ? state.read(thread, start, size) : null;
      if (bytes !== null) return bytes;
    }
    return undefined;
  }

  /** What `look` comes to when all blocks are known that it needs, and which of them it has used. The execution stands where it stood. */
  async seeing<T>(look: () => T | Promise<T>, work?: Work): Promise<{ readonly seen: T; readonly gone: readonly GoneBlock[] }> {
    for (;;) {
      const { execution } = this.debug;
      const { position } = execution;
      this.missed = new Set();
      this.used = new Set();
      let seen: { readonly value: T } | undefined;
      let failure: unknown;
      try {
        seen = { value: await look() };
      } catch (error) {
        failure = error;
      }
      // What has changed the program is not done twice.
      const isAsBefore = this.debug.execution === execution && comparePositions(execution.position, position) === 0;
      if (isAsBefore && (await this.learn(work))) continue;
      if (seen === undefined) throw failure;
      return { seen: seen.value, gone: [...this.used] };
    }
  }

  /** Looks for what was missed. True if there is more to be seen now. */
  private async learn(work: Work | undefined): Promise<boolean> {
    const { execution } = this.debug;
    const asked = [...this.missed].filter((address) => !this.unknown.has(address)).slice(0, MOST_AT_ONCE);
    const wanted = execution.everBlocks(asked);
    for (const address of asked) if (!wanted.includes(address)) this.unknown.add(address);
    if (wanted.length === 0) return false;
    const home = execution.position;
    const before = this.known.length;
    try {
      for (const address of wanted) {
        const block = await this.find(address, home, work);
        if (block === undefined || this.known.some(({ begin }) => begin === block.begin)) this.unknown.add(address);
        else this.known.push(block);
      }
    } catch (error) {
      // Given up: it is as if nothing were known.
      if (!(error instanceof Cancelled)) throw error;
      return false;
    } finally {
      await execution.seek(home);
    }
    return this.known.length > before;
  }

  private async find(address: number, before: Position, work: Work | undefined): Promise<GoneBlock | undefined> {
    const { execution } = this.debug;
    const hit = await execution.lastBlock(address, before, work);
    if (hit?.block?.how !== 'gone' || hit.block.view.size > LARGEST) return undefined;
    await execution.seek(hit.position, work);
    const { view: { begin, size } } = hit.block;
    const bytes = execution.state.read(hit.task, begin, size);
    return bytes === null ? undefined : { begin, size, bytes, position: hit.position, where: this.placeOf(hit.task) };
  }

  /** Where the execution stands: the innermost line of the user's own, behind the function that gives back. */
  private placeOf(thread: number): string | undefined {
    const { execution, viewAt } = this.debug;
    const view = viewAt(execution.state, thread);
    const frames = view === undefined ? [] : new Backtrace(view).frames(DEEPEST).filter(({ level }) => level > 0);
    const frame = frames.find((one) => one.line !== 0 && !SYSTEM_PATH.test(one.path ?? '')) ?? frames.find((one) => one.line !== 0) ?? frames[0];
    return frame === undefined ? undefined : placeText(frame);
  }

  /** A branch is another execution. */
  private forgetOthers(): void {
    if (this.of === this.debug.execution) return;
    this.of = this.debug.execution;
    this.known = [];
    this.unknown = new Set();
  }
}

function placeText({ functionName, fileName, line }: VisibleFrame): string {
  return `${functionName ?? '??'} ()${line === 0 ? '' : ` at ${fileName}:${line}`}`;
}

/** For the user, beside what it held. */
export function goneText({ begin, size, position, where }: GoneBlock): string {
  const when = `time ${position.time.toLocaleString('en-US')}${where === undefined ? '' : ` in ${where}`}`;
  return `The block of ${size} bytes at 0x${begin.toString(16)} was freed at ${when}: this is what it held then.`;
}
