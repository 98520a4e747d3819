/**
 * The forward walk: which instructions something had an influence on. It goes through stretches in the order of time,
 * with what is influenced: cells of each thread and bytes of each address space, each with the node that defined it
 * last, and instances. It is the reverse of the backward walk: an instance is a member if the criterion is in its own
 * backward slice.
 */
import { CELLS } from '../ir/dependences/cells.js';
import { isCell, loadOf, type Refs } from '../ir/dependences/refs.js';
import type { LoggedAccess } from '../ir/loggedBlocks.js';
import { RBP, RSP } from '../layout/cpuState.js';
import { questionSlots } from '../replay/branch/callArguments.js';
import type { ChannelPlace } from '../replay/timeline/observing.js';
import type { Seeds, WalkOptions } from './walkOptions.js';
import type { Programs } from './control/programs.js';
import { MEMORY, type SliceGraph } from './graph.js';
import { rangeOf, sourceOf } from './trace/accesses.js';
import { type CodeBlock, type CodeInstruction, ENDS } from './trace/codeTable.js';
import { type BlockRef, type Layout, NO_REF, type Stretch, type StretchEvent, type SystemCall } from './trace/stretch.js';
import { ChannelWants } from './wants/channelWants.js';
import { eachInContext, SET_FOR_HANDLERS } from './wants/kernelWants.js';
import { linearOf, MemoryWants } from './wants/memoryWants.js';
import { bringShared, putSharedAway } from './wants/sharedWants.js';
import type { Wanters } from './wants/wanters.js';

/** Of what is influenced: the node that defined it, plus one. Of saved registers, which one it is, above. */
type Definer = number;
const UNTOUCHED: Definer = 0;
const NODE_MASK = 0xff_ffff;
const SAVED_SHIFT = 24;
type ChangeEvent = Extract<StretchEvent, { readonly happening?: undefined }>;
/** All of linear memory. */
const EVERYTHING = 0x8000_0000;

/** The block that is gone through. */
interface Standing {
  readonly stretch: Stretch;
  readonly block: number;
  readonly layout: Layout;
  readonly code: CodeBlock;
  readonly cells: Int32Array;
  readonly memory: MemoryWants;
  readonly thread: number;
  /** Where its addresses and its parts begin. */
  readonly addresses: number;
  readonly part: number;
}

/** What an output gets. */
interface Effect {
  readonly cell: number;
  readonly linear: number;
  readonly definer: Definer;
}

const NO_RANGE = { address: 0, bytes: 0 };

export class ForwardWalk {
  private readonly threads = new Map<number, Int32Array>();
  private readonly spaces = new Map<number, MemoryWants>();
  /** Branches and calls that are members, before the stretch. */
  private readonly earlier = new Set<number>();
  /** Registers of threads whose handlers of signals are under way, by handler. */
  private readonly aside = new Map<number, Int32Array>();
  private lasts = new Uint8Array(0);
  /** What is influenced of what is in files, pipes and sockets. */
  private readonly channels: ChannelWants;
  /** System calls of the stretch, by block. */
  private calls: ReadonlyMap<number, AskedCall> = new Map();
  private readonly effects: Effect[] = [];
  private seeds: Seeds | undefined;

  constructor(
    private readonly programs: Programs,
    private readonly graph: SliceGraph,
    private readonly wanters: Wanters,
    private readonly options: WalkOptions,
  ) {
    this.channels = new ChannelWants(wanters);
  }

  private cellsOf(thread: number): Int32Array {
    let known = this.threads.get(thread);
    if (known === undefined) this.threads.set(thread, (known = new Int32Array(CELLS)));
    return known;
  }

  private memoryOf(space: number): MemoryWants {
    let known = this.spaces.get(space);
    if (known === undefined) this.spaces.set(space, (known = new MemoryWants(this.wanters)));
    return known;
  }

  /** Goes through a stretch from `from`, or its beginning, to its end. */
  walk(stretch: Stretch, from: number, seeds?: Seeds): void {
    this.lasts = new Uint8Array(stretch.count);
    this.seeds = seeds;
    const { events, runs } = stretch;
    let event = 0;
    const first = from <= stretch.time ? 0 : stretch.blockAt(from);
    this.calls = callsOf(stretch);
    runs.forEach((run, r) => {
      const [cells, memory] = [this.cellsOf(run.thread), this.memoryOf(run.space)];
      const { shared } = run;
      bringShared(shared, memory, this.channels);
      let { firstAddress: addresses, firstPart: part } = run;
      for (let block = run.first; block < (runs[r + 1]?.first ?? stretch.count); block++) {
        if (event < events.length && (events[event] as StretchEvent).after <= block) {
          putSharedAway(shared, memory, this.channels);
          while (event < events.length && (events[event] as StretchEvent).after <= block) this.happened(events[event++] as StretchEvent, stretch, from);
          bringShared(shared, memory, this.channels);
        }
        const layout = layoutIn(stretch, block);
        const { code } = layout;
        if (block >= first) this.goThrough({ stretch, block, layout, code, cells, memory, thread: run.thread, addresses, part }, from);
        addresses += code.entries;
        part += layout.parts;
      }
      putSharedAway(shared, memory, this.channels);
    });
    while (event < events.length) this.happened(events[event++] as StretchEvent, stretch, from);
    for (let block = 0; block < stretch.count; block++) if (this.lasts[block] !== 0) this.earlier.add(stretch.instanceOf(block));
  }

  private goThrough(standing: Standing, from: number): void {
    const { stretch, block, layout: { starts, parts }, code } = standing;
    const start = stretch.timeOf(block);
    let top = stretch.tops.get(block) ?? 0;
    let [part, parent] = [-1, NO_REF];
    code.instructions.forEach((instruction, i) => {
      if (part + 1 < parts && (starts[part + 1] as number) <= i) parent = stretch.parents[standing.part + ++part] as number;
      if (start + i >= from) this.look(standing, i, instruction, start + i, parent, top);
      if (instruction.usesX87) top = this.programs.table.dependencesAt(instruction, top).top ?? top;
    });
  }

  private look(standing: Standing, i: number, instruction: CodeInstruction, time: number, parent: BlockRef, top: number): void {
    const { options } = this;
    const isSeed = this.seeds?.isSeed(time, instruction, standing.thread) === true;
    if (!options.frames && !isSeed && this.passFrameWork(standing, i, instruction)) return;
    if (!isSeed && options.isWatched?.(instruction) === false) {
      this.untouch(standing, i, instruction, top);
      return;
    }
    const isLed = options.control && this.isMember(standing.stretch, parent);
    const node = options.nodeOf(instruction, standing.stretch.sites[standing.block] as number, time);
    this.effects.length = 0;
    const isReached = this.outputs(standing, i, instruction, top, node, time, isSeed || isLed);
    for (const { cell, linear, definer } of this.effects) {
      if (cell >= 0) standing.cells[cell] = definer;
      else standing.memory.set(linear, definer);
    }
    if (!isReached && !isSeed && !isLed) return;
    this.graph.add(node, time, node === instruction.id);
    if (isLed && parent >= 0) this.graph.addControl(node, this.lastNode(standing.stretch, parent), standing.stretch.instanceOf(parent));
    if (i === standing.code.instructions.length - 1) this.lasts[standing.block] = 1;
  }

  /** What the instruction leaves is not due to what is asked for. */
  private untouch({ stretch, addresses, code, cells, memory }: Standing, i: number, instruction: CodeInstruction, top: number): void {
    for (const cell of this.programs.table.dependencesAt(instruction, top).cells) cells[cell] = UNTOUCHED;
    for (const { isWrite, entry, bytes, count } of code.accesses[i] as readonly LoggedAccess[]) {
      const range = isWrite ? rangeOf(stretch.fullAddress(addresses + entry), count === undefined ? 1 : (stretch.addresses[addresses + count] as number) | 0, bytes) : NO_RANGE;
      for (let byte = 0; byte < range.bytes; byte++) memory.set(linearOf(range.address + byte), UNTOUCHED);
    }
  }

  private isMember(stretch: Stretch, parent: BlockRef): boolean {
    if (parent === NO_REF) return false;
    return parent < 0 ? this.earlier.has(stretch.instanceOf(parent)) : this.lasts[parent] !== 0;
  }

  /** Of the last instruction of a block. */
  private lastNode(stretch: Stretch, block: number): number {
    const last = layoutIn(stretch, block).code.instructions.at(-1) as CodeInstruction;
    return this.options.nodeOf(last, stretch.sites[block] as number, stretch.instanceOf(block));
  }

  /**
   * Finds what becomes of the outputs. True if the criterion has an influence on something that the instruction uses.
   */
  private outputs(standing: Standing, i: number, instruction: CodeInstruction, top: number, node: number, time: number, all: boolean): boolean {
    const { cells: written, inputs, accesses, decision, repeats } = this.programs.table.dependencesAt(instruction, top);
    const own = node + 1;
    let isReached = false;
    const isInfluenced = (refs: Refs): boolean => this.influenced(standing, i, refs, node, time);
    if (this.options.data) {
      if (isInfluenced(decision)) isReached = true;
      for (const { address, isWrite } of accesses) if (!isWrite && isInfluenced(address)) isReached = true;
    }
    const isAsked = standing.code.ends === ENDS.syscall && i === standing.code.instructions.length - 1 && this.options.data && this.isAsked(standing, node, time);
    if (isAsked) isReached = true;
    written.forEach((cell, k) => {
      const is = this.options.data && isInfluenced(inputs[k] as Refs);
      if (is) isReached = true;
      this.effects.push({ cell, linear: 0, definer: is || all || isAsked ? own : UNTOUCHED });
    });
    const logged = standing.code.accesses[i] as readonly LoggedAccess[];
    accesses.forEach(({ isWrite, stored }, k) => {
      if (!isWrite) return;
      const { entry, bytes, count } = logged[k] as LoggedAccess;
      const address = standing.stretch.fullAddress(standing.addresses + entry);
      const elements = count === undefined ? 1 : (standing.stretch.addresses[standing.addresses + count] as number) | 0;
      const range = rangeOf(address, elements, bytes);
      const source = repeats === 'rep.movs' ? standing.stretch.fullAddress(standing.addresses + (logged[0] as LoggedAccess).entry) : undefined;
      for (let byte = 0; byte < range.bytes; byte++) {
        const refs = stored[byte % stored.length] as Refs;
        const from = source === undefined ? undefined : sourceOf(range.address + byte, source, address, elements, bytes);
        const is = this.options.data && (from === undefined ? isInfluenced(refs) : this.byteInfluenced(standing, from, node, time) || isInfluenced(refs.filter(isCell)));
        if (is) isReached = true;
        this.effects.push({ cell: -1, linear: linearOf(range.address + byte), definer: is || all ? own : UNTOUCHED });
      }
    });
    return isReached;
  }

  private influenced(standing: Standing, i: number, refs: Refs, node: number, time: number): boolean {
    const { stretch, addresses, code, cells } = standing;
    let is = false;
    for (const ref of refs) {
      if (isCell(ref)) {
        const definer = cells[ref] as number;
        if (definer === UNTOUCHED || (!this.options.frames && ref >= RSP.offset && ref < RSP.offset + 8)) continue;
        is = true;
        this.graph.addData(node + 1, (definer & NODE_MASK) - 1, ref, time);
        continue;
      }
      const { access, byte } = loadOf(ref);
      const { entry, bytes, count } = (code.accesses[i] as readonly LoggedAccess[])[access] as LoggedAccess;
      const address = stretch.fullAddress(addresses + entry);
      const range = count === undefined ? { address: address + byte, bytes: 1 } : rangeOf(address, (stretch.addresses[addresses + count] as number) | 0, bytes);
      for (let k = 0; k < range.bytes; k++) if (this.byteInfluenced(standing, range.address + k, node, time)) is = true;
    }
    return is;
  }

  private byteInfluenced({ memory }: Standing, address: number, node: number, time: number): boolean {
    return this.usesByte(memory, address, node, time);
  }

  private usesByte(memory: MemoryWants, address: number, node: number, time: number): boolean {
    const definer = memory.at(linearOf(address));
    if (definer === UNTOUCHED) return false;
    this.graph.addData(node + 1, (definer & NODE_MASK) - 1, MEMORY + address, time);
    return true;
  }

  /** Whether the criterion has an influence on what a system call is asked. */
  private isAsked({ block, cells }: Standing, node: number, time: number): boolean {
    const made = this.calls.get(block);
    if (made === undefined) return false;
    let is = false;
    for (const { offset } of questionSlots(made.number)) {
      for (let k = 0; k < 8; k++) {
        const definer = cells[offset + k] as number;
        if (definer === UNTOUCHED) continue;
        is = true;
        this.graph.addData(node + 1, (definer & NODE_MASK) - 1, offset + k, time);
      }
    }
    for (const { space, address, bytes } of made.questions) {
      for (let k = 0; k < bytes; k++) if (this.usesByte(this.memoryOf(space), address + k, node, time)) is = true;
    }
    return is;
  }

  // ---- frames

  private passFrameWork({ stretch, addresses, code, cells, memory }: Standing, i: number, { frame }: CodeInstruction): boolean {
    if (frame.kind === 'none') return false;
    if (frame.kind === 'point') {
      cells.fill(UNTOUCHED, RBP.offset, RBP.offset + 8);
      return true;
    }
    const { entry } = (code.accesses[i] as readonly LoggedAccess[])[0] as LoggedAccess;
    const slot = linearOf(stretch.fullAddress(addresses + entry));
    const { register } = frame;
    const mark = (register / 8 + 1) << SAVED_SHIFT;
    if (frame.kind === 'save') {
      for (let k = 0; k < 8; k++) {
        const definer = cells[register + k] as number;
        memory.set(slot + k, definer === UNTOUCHED ? UNTOUCHED : definer | mark);
      }
      return true;
    }
    for (let k = 0; k < 8; k++) {
      const definer = memory.at(slot + k);
      if (definer !== UNTOUCHED && (definer & ~NODE_MASK) !== mark) return false;
    }
    for (let k = 0; k < 8; k++) cells[register + k] = memory.at(slot + k) & NODE_MASK;
    return true;
  }

  // ---- what happens between instructions

  private happened(event: StretchEvent, stretch: Stretch, from: number): void {
    if (event.happening !== undefined) {
      const { happening: { kind, position, access, alsoAccessed = [] }, space } = event;
      if (kind !== 'memory' || access === undefined || position.time < from) return;
      for (const { address, bytes, write } of [access, ...alsoAccessed]) if (write) this.write(stretch, space, address, bytes, position.time);
      return;
    }
    if (event.time < from) return;
    const { change, handler, frame } = event;
    switch (change.kind) {
      case 'write': return change.from === undefined
        ? this.write(stretch, change.space, change.address, change.bytes, event.instance, event.made)
        : this.receive(stretch, change.space, change.address, change.bytes, change.from, event);
      case 'ask': return;
      case 'send': return this.carry(stretch, event, change.bytes, (k) => this.memoryOf(change.space).at(linearOf(change.address + k)), (k, definer) => this.channels.set(change.to.channel, change.to.position + k, definer), MEMORY + change.address);
      case 'pass': return this.carry(stretch, event, change.bytes, (k) => this.channels.at(change.from.channel, change.from.position + k), (k, definer) => this.channels.set(change.to.channel, change.to.position + k, definer), MEMORY);
      case 'cut': return void this.channels.take(change.at.channel, change.at.position, Infinity, () => undefined);
      case 'replace': case 'refresh': return void this.memoryOf(change.space).take(linearOf(change.address), change.bytes, () => undefined);
      case 'clear': return void this.memoryOf(change.space).take(0, EVERYTHING, () => undefined);
      case 'move': return this.copy(change.space, linearOf(change.from), change.bytes, change.space, linearOf(change.to));
      case 'copy': return this.copy(change.from, 0, EVERYTHING, change.space, 0);
      case 'thread': return void this.cellsOf(change.task).set(this.cellsOf(change.by));
      case 'program': return void this.cellsOf(change.task).fill(UNTOUCHED);
      case 'handler': return this.beginHandler(this.cellsOf(change.task), stretch, event);
      case 'handled': {
        const before = this.aside.get(handler);
        if (before !== undefined) this.cellsOf(change.task).set(before);
        if (before !== undefined && frame !== undefined) eachInContext((cell, place) => (this.cellsOf(change.task)[cell] = this.memoryOf(frame.space).at(linearOf(frame.context + place)) & NODE_MASK));
      }
    }
  }

  private beginHandler(cells: Int32Array, stretch: Stretch, { handler, frame, instance }: ChangeEvent): void {
    this.aside.set(handler, cells.slice());
    if (frame !== undefined) eachInContext((cell, place) => this.memoryOf(frame.space).set(linearOf(frame.context + place), cells[cell] as number));
    const block = stretch.blockAt(instance);
    const definer = block >= 0 && this.lasts[block] !== 0 ? this.lastNode(stretch, block) + 1 : UNTOUCHED;
    for (const cell of SET_FOR_HANDLERS) cells[cell] = definer;
  }

  private receive(stretch: Stretch, space: number, address: number, bytes: number, { channel, position }: ChannelPlace, event: ChangeEvent): void {
    const memory = this.memoryOf(space);
    this.carry(stretch, event, bytes, (k) => this.channels.at(channel, position + k), (k, definer) => memory.set(linearOf(address + k), definer), MEMORY + address);
  }

  /** A system call brings bytes from one place to another: those that are influenced, or all if it is itself. */
  private carry(stretch: Stretch, { instance, made }: ChangeEvent, bytes: number, at: (k: number) => Definer, put: (k: number, definer: Definer) => void, place: number): void {
    const block = stretch.blockAt(instance);
    const isAll = block >= 0 ? this.lasts[block] !== 0 : this.earlier.has(instance);
    const node = made === undefined ? -1 : this.nodeOfCall(made);
    for (let k = 0; k < bytes; k++) {
      const definer = this.options.data && node >= 0 ? at(k) : UNTOUCHED;
      put(k, isAll || definer !== UNTOUCHED ? node + 1 : UNTOUCHED);
      if (definer === UNTOUCHED) continue;
      this.graph.add(node, instance, node === made?.instruction.id);
      this.graph.addData(node + 1, (definer & NODE_MASK) - 1, place + k, instance);
    }
  }

  /** By a system call, or by a string instruction that was interrupted. */
  private write(stretch: Stretch, space: number, address: number, bytes: number, instance: number, made?: SystemCall): void {
    const block = stretch.blockAt(instance);
    const memory = this.memoryOf(space);
    const isInfluenced = block >= 0 ? this.lasts[block] !== 0 : made !== undefined && this.earlier.has(instance);
    if (!isInfluenced) return void memory.take(linearOf(address), bytes, () => undefined);
    const definer = 1 + (block >= 0 ? this.lastNode(stretch, block) : this.nodeOfCall(made as SystemCall));
    for (let k = 0; k < bytes; k++) memory.set(linearOf(address + k), definer);
  }

  private nodeOfCall({ instance, instruction, site }: SystemCall): number {
    return this.options.nodeOf(instruction, site, instance);
  }

  private copy(fromSpace: number, first: number, bytes: number, space: number, to: number): void {
    const [source, target] = [this.memoryOf(fromSpace), this.memoryOf(space)];
    const all: [linear: number, definer: Definer][] = [];
    source.take(first, bytes, (linear, definer) => void all.push([linear, definer]));
    for (const [linear, definer] of all) {
      source.set(linear, definer);
      target.set(linear - first + to, definer);
    }
  }
}

interface AskedCall {
  readonly number: number;
  /** Memory that it looked at. */
  readonly questions: readonly { readonly space: number; readonly address: number; readonly bytes: number }[];
}

/** By the blocks that end with them. */
function callsOf(stretch: Stretch): ReadonlyMap<number, AskedCall> {
  const all = new Map<number, { number: number; questions: AskedCall['questions'][number][] }>();
  for (const event of stretch.events) {
    if (event.happening?.kind === 'syscall' && event.happening.syscall !== undefined) all.set(event.after - 1, { number: event.happening.syscall, questions: [] });
    else if (event.happening === undefined && event.change.kind === 'ask') all.get(stretch.blockAt(event.instance))?.questions.push(event.change);
  }
  return all;
}

function layoutIn({ layouts, layoutList }: Stretch, block: number): Layout {
  return layoutList[layouts[block] as number] as Layout;
}
