/**
 * The backward walk: from what is wanted at the end of a stretch to the instructions that defined it, and to what those
 * wanted, until the stretch begins. What is still wanted then is for the stretch before it.
 *
 * Most blocks define nothing that is wanted. They cost a look at a few words for their registers, and one for the page
 * of each store.
 */
import { RBP, RSP } from '../layout/cpuState.js';
import type { DependentAccess, InstructionDependences } from '../ir/dependences/instructionDependences.js';
import { isCell, loadOf, type Refs } from '../ir/dependences/refs.js';
import type { LoggedAccess } from '../ir/loggedBlocks.js';
import type { MemoryAccess } from '../replay/timeline/conditions.js';
import type { Happening } from '../replay/timeline/observing.js';
import { questionSlots } from '../replay/branch/callArguments.js';
import { NO_INSTANCE } from './control/callStack.js';
import type { FollowedBlock, Programs } from './control/programs.js';
import { MEMORY, type SliceGraph } from './graph.js';
import { type Bytes, rangeOf, sourceOf } from './trace/accesses.js';
import type { CodeInstruction } from './trace/codeTable.js';
import type { Layout, Stretch, StretchEvent, StretchRun } from './trace/stretch.js';
import { linearOf, MemoryWants } from './wants/memoryWants.js';
import { Restores } from './wants/restores.js';
import { ThreadWants } from './wants/threadWants.js';
import { NO_WANTERS, type WanterSet, type Wanters } from './wants/wanters.js';

export interface WalkOptions {
  readonly data: boolean;
  readonly control: boolean;
  /** What functions do to set up and leave their frames counts, too. */
  readonly frames: boolean;
  /** The node of an instance; calls of libraries are one node each unless this says otherwise. */
  readonly nodeOf: (instruction: CodeInstruction, site: number, time: number) => number;
  /** Whether an instance belongs to what is asked for, with all that it uses. */
  readonly isSeed?: (time: number, instruction: CodeInstruction, thread: number) => boolean;
  /** Only instructions for which this holds are looked at; what others define is theirs alone. */
  readonly isWatched?: (instruction: CodeInstruction) => boolean;
}

/** Where a node's wants come from, while a block is gone through. */
interface Standing {
  readonly stretch: Stretch;
  readonly block: number;
  readonly code: FollowedBlock;
  readonly thread: ThreadWants;
  readonly memory: MemoryWants;
  readonly threadId: number;
}

const RSP_FIRST = RSP.offset;
const RSP_END = RSP.offset + 8;

export class BackwardWalk {
  readonly threads = new Map<number, ThreadWants>();
  readonly spaces = new Map<number, MemoryWants>();
  /** Instances before the stretch that are wanted for control, or because the kernel wrote for them. */
  readonly earlier = { control: new Map<number, WanterSet>(), data: new Map<number, WanterSet>() };
  /** Restores of registers that turned out to be reads of something else: the walk has to be done again. */
  readonly mistaken = new Set<number>();
  /** System calls whose results or stored bytes are members: inputs of the slice. */
  readonly inputs = new Map<number, Happening>();
  private readonly restores: Restores;
  private control = new Int32Array(0);
  private calls = new Int32Array(0);
  /** Of blocks that end with a system call. */
  private readonly systemCalls = new Map<number, Happening>();
  private readonly gathered = new Gathered();
  private to = Infinity;

  constructor(
    private readonly programs: Programs,
    private readonly graph: SliceGraph,
    private readonly wanters: Wanters,
    private readonly options: WalkOptions,
    /** Restores that are known to be none, by time. */
    private readonly real: ReadonlySet<number> = new Set(),
  ) {
    this.restores = new Restores(wanters);
  }

  wantsOf(thread: number): ThreadWants {
    let known = this.threads.get(thread);
    if (known === undefined) this.threads.set(thread, (known = new ThreadWants()));
    return known;
  }

  memoryOf(space: number): MemoryWants {
    let known = this.spaces.get(space);
    if (known === undefined) this.spaces.set(space, (known = new MemoryWants()));
    return known;
  }

  /** Whether anything is left to be found. */
  get isDone(): boolean {
    const { control, data } = this.earlier;
    return control.size === 0 && data.size === 0 && [...this.threads.values()].every((one) => one.isEmpty) && [...this.spaces.values()].every(({ size }) => size === 0);
  }

  /**
   * Goes through a stretch from `to`, or its end, to its beginning. `seeds`: times between which there are instances
   * that are asked for.
   */
  walk(stretch: Stretch, to: number, seeds?: { readonly from: number; readonly to: number }): void {
    this.control = new Int32Array(stretch.count);
    this.calls = new Int32Array(stretch.count);
    this.to = to;
    this.systemCalls.clear();
    this.takeEarlier(stretch, this.earlier.control, this.control);
    this.takeEarlier(stretch, this.earlier.data, this.calls);
    const { events, runs } = stretch;
    const beyond = to >= stretch.end ? stretch.count : stretch.blockAt(to - 1) + 1;
    let event = events.findLastIndex(({ happening }) => happening.position.time < to);
    for (let r = runs.length - 1; r >= 0; r--) {
      const run = runs[r] as StretchRun;
      const [thread, memory] = [this.wantsOf(run.thread), this.memoryOf(run.space)];
      for (let block = Math.min(beyond, runs[r + 1]?.first ?? stretch.count) - 1; block >= run.first; block--) {
        while (event >= 0 && (events[event] as StretchEvent).after > block) this.happened(events[event--] as StretchEvent, stretch);
        const code = this.programs.blocks[stretch.blocks[block] as number] as FollowedBlock;
        const isAsked = this.control[block] !== 0 || this.calls[block] !== 0 || (seeds !== undefined && this.mayBeSeed(stretch, block, code, seeds));
        if (!isAsked && !thread.meets(code.writtenWords, code.writtenBits) && (memory.size === 0 || !this.storesMeet(stretch, block, code, memory))) continue;
        this.goThrough({ stretch, block, code, thread, memory, threadId: run.thread });
      }
    }
    while (event >= 0) this.happened(events[event--] as StretchEvent, stretch);
  }

  private mayBeSeed({ time, times }: Stretch, block: number, { logged }: FollowedBlock, { from, to }: { readonly from: number; readonly to: number }): boolean {
    const start = time + (times[block] as number);
    return start < to && start + logged.lengths.length > from;
  }

  private takeEarlier(stretch: Stretch, wants: Map<number, WanterSet>, into: Int32Array): void {
    for (const [instance, set] of wants) {
      const block = stretch.blockAt(instance);
      if (block < 0) continue;
      into[block] = this.wanters.union(into[block] as number, set);
      wants.delete(instance);
    }
  }

  private storesMeet({ addressStarts, addresses }: Stretch, block: number, { stores }: FollowedBlock, memory: MemoryWants): boolean {
    const first = addressStarts[block] as number;
    for (let i = 0; i < stores.length; i++) {
      const { entry, bytes, count } = stores[i] as LoggedAccess;
      const address = addresses[first + entry] as number;
      if (count === undefined) {
        if (memory.meets(linearOf(address), bytes)) return true;
      } else {
        const range = rangeOf(address, addresses[first + count] as number, bytes);
        if (range.bytes > 0 && memory.meets(linearOf(range.address), range.bytes)) return true;
      }
    }
    return false;
  }

  // ---- the instructions of a block

  private goThrough(standing: Standing): void {
    const { stretch, block, code } = standing;
    const { instructions } = code;
    const start = stretch.timeOf(block);
    const last = instructions.length - 1;
    let top = stretch.tops.get(block) ?? 0;
    const tops = code.usesX87 ? instructions.map((one) => {
      const before = top;
      top = this.programs.table.dependencesAt(one, before).top ?? before;
      return before;
    }) : undefined;
    for (let i = last; i >= 0; i--) {
      if (start + i >= this.to) continue;
      const instruction = instructions[i] as CodeInstruction;
      const isAsked = i === last && (this.control[block] !== 0 || this.calls[block] !== 0);
      const dependences = tops === undefined ? instruction.dependences : this.programs.table.dependencesAt(instruction, tops[i] as number);
      this.look(standing, i, instruction, dependences, start + i, isAsked);
    }
  }

  private look(standing: Standing, i: number, instruction: CodeInstruction, dependences: InstructionDependences, time: number, isAsked: boolean): void {
    const { options, gathered } = this;
    const isSeed = options.isSeed?.(time, instruction, standing.threadId) === true;
    if (!options.frames && !isSeed && this.passFrameWork(standing, i, instruction, time)) return;
    gathered.begin();
    this.lookAtCells(standing.thread, dependences);
    this.lookAtStores(standing, i, dependences);
    const { wanters, place, refs } = gathered;
    if (!isSeed && !isAsked && wanters === NO_WANTERS) return;
    if (options.isWatched?.(instruction) === false) return;
    const node = options.nodeOf(instruction, standing.stretch.sites[standing.block] as number, time);
    this.graph.add(node, time, node === instruction.id);
    if (isSeed) addUses(refs, dependences);
    if (isAsked) this.answer(standing, node, dependences, time);
    if (wanters !== NO_WANTERS) {
      this.graph.addEdges(wanters, node, 'data', place, time);
      if (standing.code.logged.end === 'syscall' && i === standing.code.instructions.length - 1) this.ask(standing.block, time);
    }
    const own = this.wanters.of(node);
    if (options.data) this.want(standing, i, own);
    if (options.control) this.wantControl(standing, i, own);
  }

  private lookAtCells(thread: ThreadWants, { cells, inputs }: InstructionDependences): void {
    const { gathered } = this;
    for (let k = 0; k < cells.length; k++) {
      const cell = cells[k] as number;
      const set = thread.cells[cell] as number;
      if (set === NO_WANTERS) continue;
      thread.set(cell, NO_WANTERS);
      gathered.note(this.wanters, set, cell);
      addAll(gathered.refs, inputs[k] as Refs);
    }
  }

  /** The last instruction of the block is asked for by itself: as a branch or call, or because the kernel wrote. */
  private answer({ block, code }: Standing, node: number, { decision }: InstructionDependences, time: number): void {
    const [control, calls] = [this.control[block] as number, this.calls[block] as number];
    if (control !== NO_WANTERS) this.graph.addEdges(control, node, 'control', 0, time);
    if (calls !== NO_WANTERS) this.graph.addEdges(calls, node, 'data', MEMORY, time);
    addAll(this.gathered.refs, decision);
    if (code.logged.end === 'syscall') this.ask(block, time);
  }

  /** What a system call does depends on what it was asked. */
  private ask(block: number, time: number): void {
    const made = this.systemCalls.get(block);
    if (made?.syscall === undefined) return;
    this.inputs.set(time, made);
    for (const { offset } of questionSlots(made.syscall)) for (let i = 0; i < 8; i++) this.gathered.refs.add(offset + i);
  }

  private want({ stretch, block, code, thread, memory }: Standing, i: number, own: WanterSet): void {
    const accesses = code.accesses[i] as readonly LoggedAccess[];
    const first = stretch.addressStarts[block] as number;
    for (const linear of this.gathered.bytes) this.wantByte(memory, linear, own);
    for (const ref of this.gathered.refs) {
      if (isCell(ref)) {
        if (this.options.frames || ref < RSP_FIRST || ref >= RSP_END) thread.set(ref, this.wanters.union(thread.cells[ref] as number, own));
        continue;
      }
      const { access, byte } = loadOf(ref);
      const { entry, bytes, count } = accesses[access] as LoggedAccess;
      const address = stretch.addresses[first + entry] as number;
      if (count === undefined) this.wantByte(memory, linearOf(address + byte), own);
      else {
        const range = rangeOf(address, stretch.addresses[first + count] as number, bytes);
        for (let k = 0; k < range.bytes; k++) this.wantByte(memory, linearOf(range.address + k), own);
      }
    }
  }

  private wantByte(memory: MemoryWants, linear: number, own: WanterSet): void {
    memory.set(linear, this.wanters.union(memory.at(linear), own));
  }

  private wantControl({ stretch, block }: Standing, i: number, own: WanterSet): void {
    const { starts } = stretch.layoutList[stretch.layouts[block] as number] as Layout;
    let part = starts.length - 1;
    while (part > 0 && (starts[part] as number) > i) part--;
    const parent = stretch.parents[(stretch.partStarts[block] as number) + part] as number;
    if (parent !== NO_INSTANCE) this.wantInstance(stretch, parent, own, this.control, this.earlier.control);
  }

  private wantInstance(stretch: Stretch, instance: number, own: WanterSet, here: Int32Array, earlier: Map<number, WanterSet>): void {
    const block = stretch.blockAt(instance);
    if (block >= 0) here[block] = this.wanters.union(here[block] as number, own);
    else earlier.set(instance, this.wanters.union(earlier.get(instance) ?? NO_WANTERS, own));
  }

  // ---- stores

  private lookAtStores({ stretch, block, code, memory }: Standing, i: number, { accesses, repeats }: InstructionDependences): void {
    if (memory.size === 0) return;
    const logged = code.accesses[i] as readonly LoggedAccess[];
    const first = stretch.addressStarts[block] as number;
    for (let k = 0; k < accesses.length; k++) {
      const { isWrite, stored } = accesses[k] as DependentAccess;
      if (!isWrite) continue;
      const { entry, bytes, count } = logged[k] as LoggedAccess;
      const address = stretch.addresses[first + entry] as number;
      if (count === undefined) this.lookAtBytes(memory, { address, bytes }, stored);
      else {
        const elements = stretch.addresses[first + count] as number;
        const source = repeats === 'rep.movs' ? (stretch.addresses[first + (logged[0] as LoggedAccess).entry] as number) : undefined;
        this.lookAtBytes(memory, rangeOf(address, elements, bytes), stored, (byte) => (source === undefined ? undefined : sourceOf(byte, source, address, elements, bytes)));
      }
    }
  }

  /** Bytes that are stored. `movedFrom`: of those that are copies of memory, where they come from. */
  private lookAtBytes(memory: MemoryWants, { address, bytes }: Bytes, stored: readonly Refs[], movedFrom?: (byte: number) => number | undefined): void {
    if (bytes === 0 || !memory.meets(linearOf(address), bytes)) return;
    const { gathered } = this;
    for (let byte = 0; byte < bytes; byte++) {
      const linear = linearOf(address + byte);
      const set = memory.at(linear);
      if (set === NO_WANTERS) continue;
      memory.set(linear, NO_WANTERS);
      gathered.note(this.wanters, this.withoutRestores(set), MEMORY + address + byte);
      const source = movedFrom?.(address + byte);
      const refs = stored[byte % stored.length] as Refs;
      if (source === undefined) addAll(gathered.refs, refs);
      else {
        gathered.bytes.push(linearOf(source));
        for (const ref of refs) if (isCell(ref)) gathered.refs.add(ref);
      }
    }
  }

  // ---- frames

  /** Whether the instruction is only the work of a function on its own frame. */
  private passFrameWork(standing: Standing, i: number, { frame }: CodeInstruction, time: number): boolean {
    if (frame.kind === 'none') return false;
    const { stretch, block, code, thread, memory } = standing;
    if (frame.kind === 'point') {
      for (let k = 0; k < 8; k++) thread.set(RBP.offset + k, NO_WANTERS);
      return true;
    }
    const { entry } = (code.accesses[i] as readonly LoggedAccess[])[0] as LoggedAccess;
    const slot = linearOf(stretch.addresses[(stretch.addressStarts[block] as number) + entry] as number);
    return frame.kind === 'save' ? this.passSave(thread, memory, slot, frame.register) : !this.real.has(time) && this.passRestore(thread, memory, slot, frame.register, time);
  }

  private passRestore(thread: ThreadWants, memory: MemoryWants, slot: number, register: number, time: number): boolean {
    const wanted = Array.from({ length: 8 }, (_, k) => thread.cells[register + k] as number);
    const left = wanted.filter((set) => set !== NO_WANTERS).length;
    if (left === 0) return true;
    const tag = this.restores.add({ time, register, wanters: wanted, left });
    wanted.forEach((set, k) => {
      if (set === NO_WANTERS) return;
      thread.set(register + k, NO_WANTERS);
      this.wantByte(memory, slot + k, tag);
    });
    return true;
  }

  /** Of those who want the saved bytes, the restores of the same register want the register. */
  private passSave(thread: ThreadWants, memory: MemoryWants, slot: number, register: number): boolean {
    let isWanted = false;
    for (let k = 0; k < 8; k++) {
      const set = memory.at(slot + k);
      if (set === NO_WANTERS) continue;
      const { tags } = this.restores.split(set);
      const own = tags.filter((tag) => this.restores.get(tag).register === register);
      for (const tag of own) {
        const wants = this.restores.get(tag).wanters[k] as number;
        thread.set(register + k, this.wanters.union(thread.cells[register + k] as number, wants));
        this.restores.found(tag);
      }
      const rest = own.length === 0 ? set : this.wanters.without(set, own);
      memory.set(slot + k, rest);
      if (rest !== NO_WANTERS) isWanted = true;
    }
    return !isWanted;
  }

  /** Something else has defined what a function took for a saved register. */
  private withoutRestores(set: WanterSet): WanterSet {
    const { tags } = this.restores.split(set);
    if (tags.length === 0) return set;
    for (const tag of tags) {
      this.mistaken.add(this.restores.get(tag).time);
      this.restores.found(tag);
    }
    return this.wanters.without(set, tags);
  }

  // ---- what happens between instructions

  private happened({ happening, space }: StretchEvent, stretch: Stretch): void {
    const { kind, position, access, alsoAccessed = [] } = happening;
    if (kind === 'syscall') this.systemCalls.set(stretch.blockAt(position.time), happening);
    if (kind === 'memory' && access !== undefined) for (const one of [access, ...alsoAccessed]) if (one.write) this.written(one, space, position.time, stretch);
  }

  /** By the kernel, or by a string instruction that was interrupted: the instruction is what defines it. */
  private written({ address, bytes }: MemoryAccess, space: number, instance: number, stretch: Stretch): void {
    const memory = this.spaces.get(space);
    if (memory === undefined || memory.size === 0 || !memory.meets(linearOf(address), bytes)) return;
    for (let byte = 0; byte < bytes; byte++) {
      const linear = linearOf(address + byte);
      const set = this.withoutRestores(memory.at(linear));
      if (memory.at(linear) === NO_WANTERS) continue;
      memory.set(linear, NO_WANTERS);
      if (set !== NO_WANTERS) this.wantInstance(stretch, instance, set, this.calls, this.earlier.data);
    }
  }
}

/** What is found of an instruction while its outputs are looked at. */
class Gathered {
  readonly refs = new Set<number>();
  /** Bytes of memory, by where they lie. */
  readonly bytes: number[] = [];
  wanters: WanterSet = NO_WANTERS;
  place = 0;

  begin(): void {
    this.refs.clear();
    this.bytes.length = 0;
    this.wanters = NO_WANTERS;
    this.place = 0;
  }

  note(all: Wanters, set: WanterSet, place: number): void {
    if (set === NO_WANTERS) return;
    if (this.wanters === NO_WANTERS) this.place = place;
    this.wanters = all.union(this.wanters, set);
  }
}

function addAll(refs: Set<number>, more: Refs): void {
  for (const ref of more) refs.add(ref);
}

/** Everything that the instruction uses. */
function addUses(refs: Set<number>, { inputs, accesses, decision }: InstructionDependences): void {
  for (const one of inputs) addAll(refs, one);
  for (const { address, stored } of accesses) {
    addAll(refs, address);
    for (const one of stored) addAll(refs, one);
  }
  addAll(refs, decision);
}
