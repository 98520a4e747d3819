/**
 * Which instruction put into a register what is there at some time. The execution is stepped through backward in
 * windows that double. Calls cost no windows if the register is one that functions preserve: the search goes on at the
 * call, provided the register had the same value there. What was set long ago (before a long loop, say) is found by
 * breakpoints: see functionSearch.ts.
 */
import { guestAddr } from '../base/types.js';
import { GPR, RAX, RDX, RSP, type Slot, XMM } from '../layout/cpuState.js';
import { at } from '../replay/log/position.js';
import { memoryRange } from '../replay/timeline/conditions.js';
import type { Execution } from '../replay/timeline/execution.js';
import { breathe, type Work } from '../replay/timeline/work.js';
import { type Came, InstructionFlow, mayWrite } from './copies/instructionFlow.js';
import { memoryPlace, type Place } from './copies/place.js';
import type { FunctionSearch } from './functionSearch.js';
import { type Instructions, isCall, isReturn } from './instructions.js';
import type { OwnWrites } from './ownWrites.js';
import { type Step, stepOf, type Steps, type Stretch, wordPair } from './steps.js';

export type Setting =
  | { readonly kind: 'instruction'; readonly step: Step; readonly came: Came }
  /** Between two instructions: what is executed next is `step`. */
  | { readonly kind: 'kernel'; readonly step: Step }
  /** It was there when the thread began, or the recording. */
  | { readonly kind: 'start'; readonly time: number }
  /** Not found within what a search may cost. */
  | { readonly kind: 'lost'; readonly time: number };

/** What a search goes through, and by what. */
interface Searched {
  readonly execution: Execution;
  readonly steps: Steps;
  readonly instructions: Instructions;
  readonly functions: FunctionSearch;
  readonly writes: OwnWrites;
}

type RegisterPlace = Place & { readonly kind: 'register' };

const FIRST_WINDOW = 32;
const LARGEST_WINDOW = 1024;
/** So many instructions are stepped through before breakpoints are tried. */
const PATIENCE = 2048;
/** A call that is passed over counts as so many. */
const CALL_COST = 256;
/** Where breakpoints cannot help, no more than this is stepped through. */
const MOST_STEPS = 65_536;
const SIGRETURN = 15;
/** Of `struct ucontext`, which rt_sigreturn finds at rsp: the registers, in the order of the kernel's sigcontext. */
const CONTEXT_REGISTERS = 40;
const CONTEXT_ORDER = ['r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15', 'rdi', 'rsi', 'rbp', 'rbx', 'rdx', 'rax', 'rcx', 'rsp'];

/** Registers that come out of calls with something else: results, and the stack pointer. */
const CHANGED: readonly Slot[] = [RAX, RDX, RSP, ...XMM.slice(0, 2)];

/** Whether functions hand out results in it. */
export function isForResults(offset: number): boolean {
  return !isPreserved(offset) && (offset & ~7) !== RSP.offset;
}

/**
 * Whether what is in it after a call was there before. Compilers read no other registers after calls than those that
 * functions preserve, those that they know the function not to touch, and results.
 */
export function isPreserved(offset: number): boolean {
  return !CHANGED.some((slot) => offset >= slot.offset && offset < slot.offset + (slot.type === 'v128' ? 16 : 8));
}

/** Where the kernel has a register in the frame of a signal whose ucontext begins at `context`. */
function contextPlace(context: number, { offset, size }: RegisterPlace): Place | undefined {
  const index = CONTEXT_ORDER.indexOf(GPR[offset >> 3]?.name ?? '');
  if (index < 0 || offset >= GPR.length * 8) return undefined;
  return memoryPlace(guestAddr(context + CONTEXT_REGISTERS + index * 8 + (offset & 7)), size);
}

/** The register that a byte of such a frame was. */
export function contextRegister(context: number, address: number): number | undefined {
  const distance = address - context - CONTEXT_REGISTERS;
  const slot = GPR.find(({ name }) => name === CONTEXT_ORDER[Math.floor(distance / 8)]);
  return distance < 0 || slot === undefined ? undefined : slot.offset + (distance & 7);
}

export class RegisterSearch {
  constructor(private readonly searched: Searched) {}

  /** Who set it before the instruction at `time`. `after`: the thread's registers then. The execution moves. */
  async setting(place: RegisterPlace, thread: number, time: number, after: Uint32Array | undefined, work?: Work): Promise<Setting> {
    const search = new OneSearch(this.searched, place, thread, work);
    return search.before(time, after);
  }
}

class OneSearch {
  private window = FIRST_WINDOW;
  private patience = PATIENCE;
  private total = 0;
  /** Registers of the thread after the instruction that is looked at. */
  private after: Uint32Array | undefined;

  constructor(
    private readonly searched: Searched,
    private readonly place: RegisterPlace,
    private readonly thread: number,
    private readonly work: Work | undefined,
  ) {}

  async before(start: number, after: Uint32Array | undefined): Promise<Setting> {
    this.after = after;
    let time = start - 1;
    while (time >= 0) {
      const stretch = await this.searched.steps.covering(time, this.window, this.work);
      await breathe(this.work, start - time, start);
      const looked = await this.lookThrough(stretch, time);
      if (typeof looked !== 'number') return looked;
      const next = looked < stretch.start ? await this.farther(stretch, time, looked) : looked;
      if (typeof next !== 'number') return next;
      time = next;
    }
    return { kind: 'start', time: 0 };
  }

  /** Backward from `time`: what was found, or the time to go on at. */
  private async lookThrough(stretch: Stretch, from: number): Promise<Setting | number> {
    for (let time = from; time >= stretch.start; time--) {
      const step = stretch.at(time);
      if (step?.thread !== this.thread) continue;
      const block = this.searched.instructions.at(step.rip, step.code);
      const found = block === null ? undefined : this.writes(step, block);
      if (found !== undefined) return found;
      if (block !== null && isReturn(block) && isPreserved(this.place.offset)) {
        const call = await this.callOf(step, stretch);
        if (call !== undefined && call.time < time && this.isUnchanged(call, step)) {
          this.after = call.words;
          this.window = FIRST_WINDOW;
          this.patience -= CALL_COST;
          return this.patience > 0 ? call.time - 1 : this.byBreakpoints(call, call.time - 1);
        }
      }
      this.after = step.words;
    }
    return stretch.start - 1;
  }

  private writes(step: Step, block: NonNullable<ReturnType<Instructions['at']>>): Setting | undefined {
    const { offset, size } = this.place;
    if (block.end.kind === 'syscall' && wordPair(step.words, RAX.offset) === SIGRETURN) {
      const from = contextPlace(wordPair(step.words, RSP.offset), this.place);
      return from === undefined ? { kind: 'kernel', step } : { kind: 'instruction', step, came: { kind: 'copy', from } };
    }
    if (mayWrite(block, offset, size)) {
      const came = new InstructionFlow(block, step).cameTo(this.place);
      if (came.kind !== 'untouched') return { kind: 'instruction', step, came };
    } else if (this.after !== undefined && !this.hasSame(step.words, this.after)) return { kind: 'kernel', step };
    return undefined;
  }

  private hasSame(a: Uint32Array, b: Uint32Array): boolean {
    const { offset, size } = this.place;
    for (let i = offset >> 2; i < (offset + size + 3) >> 2; i++) if (a[i] !== b[i]) return false;
    return true;
  }

  private isUnchanged(call: Step, end: Step): boolean {
    return this.hasSame(call.words, end.words);
  }

  /** The call whose function ends with `step`: who wrote the return address. */
  private async callOf(step: Step, stretch: Stretch): Promise<Step | undefined> {
    const slot = guestAddr(wordPair(step.words, RSP.offset));
    for (let time = step.time - 1; time >= stretch.start; time--) {
      const earlier = stretch.at(time);
      if (earlier?.thread !== this.thread || wordPair(earlier.words, RSP.offset) !== slot + 8) continue;
      const block = this.searched.instructions.at(earlier.rip, earlier.code);
      if (block !== null && isCall(block)) return earlier;
    }
    const hit = await this.searched.writes.last([memoryRange(slot, 8)], this.thread, at(stretch.start), this.work);
    if (hit?.task !== this.thread || hit.access?.by !== 'program') return undefined;
    await this.searched.execution.seek(hit.position, this.work);
    const found = stepOf(this.searched.execution.state, this.thread);
    const block = found === undefined ? null : this.searched.instructions.at(found.rip, found.code);
    return block !== null && isCall(block) ? found : undefined;
  }

  /** The whole window had nothing. Where to look next. */
  private async farther(stretch: Stretch, from: number, next: number): Promise<Setting | number> {
    const length = from - stretch.start + 1;
    this.patience -= length;
    this.total += length;
    this.window = Math.min(this.window * 2, LARGEST_WINDOW);
    const oldest = this.oldestOf(stretch, from);
    if (!stretch.threads.has(this.thread)) return { kind: 'start', time: oldest?.time ?? stretch.end };
    if (oldest === undefined) return this.lastTurn(stretch.start);
    if (this.patience > 0) return next;
    return this.byBreakpoints(oldest, next);
  }

  /** Nothing near `oldest`: what in the same function may have set it. */
  private async byBreakpoints(oldest: Step, next: number): Promise<Setting | number> {
    this.window = FIRST_WINDOW;
    this.patience = PATIENCE;
    const found = await this.searched.functions.lastSetting(this.place, oldest, this.work);
    if (found !== undefined) {
      this.after = oldest.words;
      return found;
    }
    return this.total > MOST_STEPS ? { kind: 'lost', time: next + 1 } : next;
  }

  private oldestOf(stretch: Stretch, from: number): Step | undefined {
    for (let time = stretch.start; time <= from; time++) {
      const step = stretch.at(time);
      if (step?.thread === this.thread) return step;
    }
    return undefined;
  }

  /** The thread waited: goes to the last instruction that it executed before `time`. */
  private async lastTurn(time: number): Promise<Setting | number> {
    await this.searched.execution.seek(at(time), this.work);
    const hit = await this.searched.execution.backward([{ kind: 'switch' }], this.work, { accepts: (_hit, state) => state.current?.id === this.thread });
    return hit === undefined ? { kind: 'start', time } : Math.min(hit.position.time, time) - 1;
  }
}
