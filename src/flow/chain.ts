/**
 * How a value came to be where it is: the copies of it, newest first, back to where it was made (a value propagation
 * chain: what copies the value, not what it was computed from). Found by going back through the execution, so nothing
 * has to be prepared for it. A pointer that is moved on (`p + 1`, `&p->field`) stays the same pointer: its chain goes
 * on with what it was moved from.
 */
import { type GuestAddr, guestAddr } from '../base/types.js';
import type { Modules } from '../debugger/program/modules.js';
import { RBP, RSP } from '../layout/cpuState.js';
import { at, type Position } from '../replay/log/position.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { Work } from '../replay/timeline/work.js';
import type { Came, Term } from './copies/instructionFlow.js';
import type { Place } from './copies/place.js';
import { FunctionSearch } from './functionSearch.js';
import { Instructions } from './instructions.js';
import { MemorySearch, type Writing } from './memorySearch.js';
import { type Context, contextOf, isOwnCode, viewOf } from './ownCode.js';
import { OwnWrites } from './ownWrites.js';
import { Pieces } from './pieces.js';
import { isForResults, RegisterSearch, type Setting } from './registerSearch.js';
import { type Step, Steps } from './steps.js';

export type LinkKind =
  | 'copy'
  /** A pointer moved by `offset`. */
  | 'offset'
  | 'constant'
  /** The address of a variable on the stack. */
  | 'address'
  | 'computed'
  /** Of pieces with different origins. */
  | 'mixed'
  /** Made in a library function, which is then `called`. */
  | 'library'
  /** The system call's result, or what it stored. */
  | 'syscall'
  | 'kernel'
  /** In the program's file, or the memory as it was given. */
  | 'initial'
  /** There when the thread began. */
  | 'start'
  /** Not found within what may be spent. */
  | 'lost';

export interface Link {
  readonly kind: LinkKind;
  /** Right before the instruction. */
  readonly position: Position;
  readonly thread: number;
  readonly rip: number;
  /** Where the value was after it. */
  readonly place: Place;
  readonly value: bigint;
  /** Where it was before it, for copies and pointers that were moved. */
  readonly from?: Place;
  readonly offset?: bigint;
  readonly syscall?: number;
  /** The library function that did it. */
  readonly called?: string;
  /** It was written in pieces, of which this was the last: byte by byte, say. */
  readonly isInPieces?: true;
}

export interface Chain {
  /** Newest first. The last one says how it ends. */
  readonly links: readonly Link[];
  /** Whether the last link is where the value was made, or only the last that was looked for. */
  readonly isComplete: boolean;
}

interface OriginOptions {
  /** Links at most. */
  readonly limit?: number;
  /** Whether it is no matter how the value came to a place. */
  readonly until?: ((place: Place) => boolean) | undefined;
  /** Whether the chain of a pointer ends where the user's code moved it: then it was made there. */
  readonly endsAt?: (before: bigint, after: bigint) => boolean;
  /** It is a pointer, even if it is NULL or close to that. */
  readonly isPointer?: boolean;
  readonly work?: Work | undefined;
}

const DEFAULT_LIMIT = 1000;
/** Links within one call of a library function. */
const MOST_IN_LIBRARY = 64;
const NULL_PAGE = 4096n;

/** Keeps what is known about an execution from one question to the next. */
export class ValueFlow {
  private readonly instructions = new Instructions();
  private readonly steps: Steps;
  private readonly registers: RegisterSearch;
  private readonly functions: FunctionSearch;
  private readonly memory: MemorySearch;
  private readonly writes: OwnWrites;

  constructor(
    readonly execution: Execution,
    readonly modules: Modules,
  ) {
    this.steps = new Steps(execution);
    this.writes = new OwnWrites(execution);
    this.functions = new FunctionSearch(execution, modules, this.instructions);
    this.registers = new RegisterSearch({ execution, steps: this.steps, instructions: this.instructions, functions: this.functions, writes: this.writes });
    this.memory = new MemorySearch(execution, this.instructions, this.writes, new Pieces(this.registers));
  }

  /** Instructions that were stepped through one by one, and searches at full speed, since the beginning. */
  get cost(): { readonly stepped: number; readonly searches: number } {
    return { stepped: this.steps.stepped, searches: this.writes.searches + this.functions.searches };
  }

  /** The chain of what a thread has in a place at a position. The execution moves. */
  async origin(position: Position, thread: number, place: Place, { limit = DEFAULT_LIMIT, until, work, endsAt = () => false, isPointer = false }: OriginOptions = {}): Promise<Chain> {
    await this.execution.seek(position, work);
    const walk = new Walk(this, { place, thread, position, value: this.valueOf(place, thread), after: this.execution.state.cpuWords(thread)?.slice() }, { endsAt, isPointer }, work);
    while (walk.links.length < limit) {
      if (!(await walk.step())) return { links: walk.links, isComplete: true };
      const from = walk.links.at(-1)?.from;
      if (from !== undefined && until?.(from) === true) return { links: walk.links, isComplete: true };
    }
    return { links: walk.links, isComplete: false };
  }

  /** Where the execution stands. */
  valueOf(place: Place, thread: number): bigint {
    const { state } = this.execution;
    const bytes = place.kind === 'memory' ? state.read(thread, place.address, place.size) : registerBytes(state.cpuWords(thread), place);
    return bytes?.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n) ?? 0n;
  }

  async find(where: Whereabouts, work: Work | undefined): Promise<Setting | Writing> {
    const { place, thread, position, after } = where;
    return place.kind === 'register' ? this.registers.setting(place, thread, position.time, after, work) : this.memory.writing(place, thread, position, work);
  }

  /** Undefined in the user's own code, which is known without looking at the stack. */
  async libraryContext({ time, thread, rip }: { readonly time: number; readonly thread: number; readonly rip: number }, position: Position, work: Work | undefined): Promise<Context | undefined> {
    const near = viewOf(this.execution.state, thread, this.modules);
    if (near !== undefined && isOwnCode(near, rip)) return undefined;
    await this.execution.seek(position.time === time ? position : at(time), work);
    const view = viewOf(this.execution.state, thread, this.modules);
    return view === undefined ? undefined : contextOf(view);
  }

  /** Whether it is the frame that the function addresses its variables with. */
  async isFrameAddress(term: Term, step: Step, work: Work | undefined): Promise<boolean> {
    if (term.place.kind !== 'register') return false;
    if (term.place.offset === RSP.offset) return true;
    if (term.place.offset !== RBP.offset) return false;
    await this.execution.seek(at(step.time), work);
    return viewOf(this.execution.state, step.thread, this.modules)?.innermost().cfa() === term.value + 16n;
  }

  /**
   * The library function that the thread had just called after a step, if the kernel did the function's work
   * (linux/interception.ts).
   */
  async functionInPlace({ time, thread }: Step, work: Work | undefined): Promise<string | undefined> {
    await this.execution.seek(at(Math.min(time + 1, this.execution.endTime), 0), work);
    const view = viewOf(this.execution.state, thread, this.modules);
    return view === undefined || isOwnCode(view, Number(view.innermost().pc)) ? undefined : contextOf(view).called;
  }

  isConstant(address: GuestAddr, thread: number): boolean {
    const { state } = this.execution;
    return state.mappingAt(thread, address)?.file !== undefined && state.permissions(thread, address)?.write === false;
  }

  isProgram(address: number, thread: number): boolean {
    const view = viewOf(this.execution.state, thread, this.modules);
    return view !== undefined && view.moduleAt(BigInt(address)) === view.modules.main;
  }

  isMapped(address: bigint, thread: number): boolean {
    if (address < 4096n || address >= 1n << 47n) return false;
    const { state } = this.execution;
    if (state.isBlockAddress(thread, guestAddr(Number(address)))) return true;
    return state.mappings(thread).some(({ start, end }) => start <= address && address <= end);
  }
}

function registerBytes(words: Uint32Array | undefined, { offset, size }: { readonly offset: number; readonly size: number }): Uint8Array | undefined {
  return words === undefined ? undefined : new Uint8Array(words.buffer, words.byteOffset + offset, size).slice();
}

/** Of what makes an address near NULL, which is NULL itself: if all are zero, what the others were added to. */
function nullAmong(terms: readonly Term[], place: Place): Term | undefined {
  const zeros = terms.filter(({ value }) => value === 0n);
  return zeros.length === 1 ? zeros[0] : zeros.find((term) => term.place.kind === 'register' && place.kind === 'register' && term.place.offset === place.offset);
}

interface Whereabouts {
  readonly place: Place;
  readonly thread: number;
  readonly position: Position;
  readonly value: bigint;
  /** The thread's registers there, if they are known. */
  readonly after?: Uint32Array | undefined;
}

/** One way back. */
class Walk {
  readonly links: Link[] = [];
  /** The library call that the value came out of last, and how many links there were in it. */
  private library: { readonly called: string; readonly isResult: boolean; links: number; readonly since: number } | undefined;

  constructor(
    private readonly flow: ValueFlow,
    private where: Whereabouts,
    private readonly options: { readonly endsAt: (before: bigint, after: bigint) => boolean; readonly isPointer: boolean },
    private readonly work: Work | undefined,
  ) {}

  /** One link further. False: that was the last one. */
  async step(): Promise<boolean> {
    const found = await this.flow.find(this.where, this.work);
    switch (found.kind) {
      case 'instruction': return this.instruction(found.step, found.came, 'since' in found ? found.since : at(found.step.time));
      case 'kernel': return this.kernel(found.step, 'syscall' in found ? found.syscall : undefined);
      case 'initial': return this.initial();
      case 'start': return this.ended('start', at(found.time), 0);
      case 'lost': return this.ended('lost', at(found.time), 0);
    }
  }

  private async kernel(step: Step, syscall: number | undefined): Promise<boolean> {
    if (syscall !== undefined) return this.end('syscall', step, { syscall });
    const called = await this.flow.functionInPlace(step, this.work);
    return called === undefined ? this.end('kernel', step) : this.end('library', step, { called });
  }

  /** What cannot be written is a constant of the program, where it was read. */
  private initial(): false {
    const { place, value, thread } = this.where;
    const reader = this.links.at(-1);
    const isConstant = place.kind === 'memory' && this.flow.isConstant(place.address, thread);
    if (!isConstant || reader === undefined) return this.ended('initial', at(0), 0);
    const { position, rip, called } = reader;
    const kind = called !== undefined && !this.flow.isProgram(place.address, thread) ? 'library' : 'constant';
    this.links.push({ kind, position, thread, rip, place, value, ...(called === undefined ? {} : { called }) });
    return false;
  }

  private async instruction(step: Step, came: Came, since: Position): Promise<boolean> {
    const { place, value } = this.where;
    const context = await this.flow.libraryContext(step, since, this.work);
    if (context === undefined) this.library = undefined;
    else if (this.isMadeInLibrary(step, context)) return this.end('library', step, { called: context.called });
    const called = context?.called === undefined ? {} : { called: context.called };
    const position = at(step.time);
    const go = (kind: 'copy' | 'offset', from: Place, before: bigint, offset?: bigint): boolean => {
      this.links.push({ kind, position, thread: step.thread, rip: step.rip, place, value, from, ...(offset === undefined ? {} : { offset }), ...called, ...(since.time < step.time ? { isInPieces: true } : {}) });
      this.where = { place: from, thread: step.thread, position: since.time < step.time ? since : position, value: before, after: step.words };
      return true;
    };
    switch (came.kind) {
      case 'copy': return go('copy', came.from, BigInt.asUintN(came.from.size * 8, value));
      case 'made': {
        const term = this.pointerAmong(came.terms, step.thread);
        if (term === undefined) return this.end(called.called === undefined ? 'computed' : 'library', step, called);
        if (context === undefined && this.options.endsAt(term.value, value)) return this.end('computed', step);
        if (await this.flow.isFrameAddress(term, step, this.work)) return this.end('address', step, called);
        return go('offset', term.place, term.value, value - term.value);
      }
      case 'syscall': return this.end('syscall', step, { syscall: step.words[0], ...called });
      case 'constant': return this.end('constant', step, called);
      default: return this.end(called.called === undefined ? 'mixed' : 'library', step, called);
    }
  }

  /**
   * Results of allocation are new; what else a library hands out is followed, unless it leads into what the library did
   * before the call.
   */
  private isMadeInLibrary(step: Step, { called = '', isAllocating, frame }: Context): boolean {
    const { place } = this.where;
    const known = this.library?.called === called ? this.library : undefined;
    if (known === undefined) {
      const wasResult = this.library?.isResult === true && place.kind === 'memory';
      this.library = { called, isResult: place.kind === 'register' && isForResults(place.offset), links: 1, since: step.time };
      if (wasResult && frame !== undefined) return true;
    } else known.links++;
    return (isAllocating && this.library?.isResult === true) || (this.library?.links ?? 0) > MOST_IN_LIBRARY;
  }

  /** Of the operands of a sum the one that is a pointer, if the result is one. */
  private pointerAmong(terms: readonly Term[], thread: number): Term | undefined {
    const { value, place } = this.where;
    if (place.size === 8 && this.options.isPointer && value < NULL_PAGE) return nullAmong(terms, place);
    if (place.size !== 8 || !this.flow.isMapped(value, thread)) return undefined;
    const pointers = terms.filter((term) => this.flow.isMapped(term.value, thread));
    return pointers.length === 1 ? pointers[0] : undefined;
  }

  private end(kind: LinkKind, step: Step, more: { readonly syscall?: number | undefined; readonly called?: string | undefined } = {}): false {
    const { syscall, called } = more;
    const { place, value } = this.where;
    this.links.push({
      kind, position: at(step.time), thread: step.thread, rip: step.rip, place, value,
      ...(syscall === undefined ? {} : { syscall }), ...(called === undefined ? {} : { called }),
    });
    return false;
  }

  private ended(kind: LinkKind, position: Position, rip: number): false {
    const { place, value, thread } = this.where;
    this.links.push({ kind, position, thread, rip, place, value });
    return false;
  }
}
