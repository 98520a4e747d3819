/**
 * Dynamic dependences found out the slow way: one instruction after the other, with registers and memory read from the
 * machine. For every cell and byte it knows which instance defined it last, so a slice is reachability. It shares with
 * src/slices what one instruction's outputs depend on (proved in tests/cpu) and the graphs of functions, nothing else.
 */
import { guestAddr } from '../../src/base/types.js';
import { CELLS } from '../../src/ir/dependences/cells.js';
import type { InstructionDependences } from '../../src/ir/dependences/instructionDependences.js';
import { isCell, loadOf } from '../../src/ir/dependences/refs.js';
import { Evaluation } from '../../src/ir/meaning/evaluation.js';
import { movedFrom, stringWalk } from '../../src/ir/meaning/strings.js';
import type { OpDef, Type } from '../../src/ir/opDef.js';
import { OPS } from '../../src/ir/ops.js';
import { RAX, RBP, RDI, RDX, RIP, RSI, RSP } from '../../src/layout/cpuState.js';
import type { RecordedEvent } from '../../src/replay/log/events.js';
import { questionSlots } from '../../src/replay/branch/callArguments.js';
import { type KernelChange, kernelChanges } from '../../src/replay/timeline/kernelChanges.js';
import type { Timeline } from '../../src/replay/timeline/timeline.js';
import { type Arrival, BruteControl, type BruteGraphs } from './bruteControl.js';
import { BY_KERNEL, CARRIED, type BruteOptions, type BruteSlice, type Instance, NOTHING, type Output, OUTPUTS, PER_ACCESS, type Sample, STORED } from './bruteInstances.js';
import { dependencesAt, type KnownInstruction, knownInstruction } from './bruteInstructions.js';
import { BruteMemory } from './bruteMemory.js';
import { Reached, usesOf } from './bruteReached.js';

const NO_BYTES = new Uint8Array();
const LINEAR = 0x8000_0000;
const RT_SIGRETURN = 15n;
const CARRYING: ReadonlySet<KernelChange['kind']> = new Set(['write', 'send', 'pass', 'cut']);

/** What the kernel sets for a handler of a signal: these, and all of SSE and x87. */
const FIRST_ARGUMENTS = [RAX, RDI, RSI, RDX];
const FLOATS = 256;
/** General registers by number, in the order of a ucontext_t. */
const IN_CONTEXT = [8, 9, 10, 11, 12, 13, 14, 15, 7, 6, 5, 3, 2, 0, 1, 4];

export class BruteForce {
  readonly instances: (Instance | undefined)[] = [];
  readonly sampled: Sample[] = [];
  /** Registers that changed though no output says so. */
  readonly unsound = new Set<string>();
  private readonly cells = new Map<number, Float64Array>();
  private readonly memory = new Map<number, BruteMemory>();
  private readonly known = new Map<number, KnownInstruction>();
  /** Of handlers that run: the definitions as they were when the signal came. */
  private readonly interrupted = new Map<number, { readonly cells: Float64Array; readonly context: number | undefined; readonly space: number }[]>();
  /** What defined a register that was pushed, by the time of the push. */
  private readonly saved = new Map<number, readonly Output[]>();
  private readonly lastOf = new Map<number, { readonly time: number; readonly isSystemCall: boolean }>();
  private readonly control: BruteControl;
  private readonly spaceOf = new Map<number, number>();
  /** What is in files, pipes and sockets. */
  private readonly channels = new Map<string, Map<number, Output>>();

  constructor(
    private readonly timeline: Timeline,
    graphs: BruteGraphs,
    private readonly options: BruteOptions,
  ) {
    this.control = new BruteControl(graphs);
  }

  get hasLearnt(): boolean {
    return this.control.hasLearnt;
  }

  /** Steps through the execution. */
  run(): void {
    const { player } = this.timeline;
    player.advance(this.options.begin);
    player.onEvent = (event, done) => this.happened(event, done);
    for (let time = player.time; time < this.options.to; time++) {
      const arrival = player.advance(time);
      if (arrival.kind === 'end' || player.task === undefined) break;
      this.step(time, player.task.id, player.task.space);
    }
    player.onEvent = undefined;
  }

  cellsOf(thread: number): Float64Array {
    let known = this.cells.get(thread);
    if (known === undefined) this.cells.set(thread, (known = new Float64Array(CELLS).fill(NOTHING)));
    return known;
  }

  memoryOf(space: number): BruteMemory {
    let known = this.memory.get(space);
    if (known === undefined) this.memory.set(space, (known = new BruteMemory([], [])));
    return known;
  }

  private step(time: number, thread: number, space: number): void {
    this.spaceOf.set(thread, space);
    const { state } = this.timeline;
    const words = state.cpuWords(thread) as Uint32Array;
    const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    const view = new DataView(words.buffer, words.byteOffset, words.byteLength);
    const rip = Number(view.getBigUint64(RIP.offset, true));
    const known = this.instructionAt(rip, (address, length) => state.read(thread, guestAddr(address), length));
    const arrival: Arrival = { time, thread, rip, stackPointer: Number(view.getBigUint64(RSP.offset, true)), end: known.block.end, state };
    const parent = this.control.step(arrival);
    this.lastOf.set(thread, { time, isSystemCall: known.block.end.kind === 'syscall' });
    if (time < this.options.from) return;
    if (this.options.samples.has(time)) this.sampled.push(this.sample(time, thread, space));
    const top = (view.getUint32(208, true) >> 11) & 7;
    const dependences = dependencesAt(known, top);
    const evaluation = new Evaluation(known.block, {
      slot: (offset, type) => slotIn(view, offset, type),
      memory: (address, length) => numberFrom(state.read(thread, address, length)),
    });
    const made = this.instance(evaluation, known, dependences, { time, thread, space, parent });
    this.instances[time] = made;
    this.define(made, time, space);
    this.checkChanges(time, bytes, known, dependences);
  }

  /** Some cells or bytes that have been defined, most of them lately. */
  private sample(time: number, thread: number, space: number): Sample {
    const { random } = this.options;
    const common = { time, thread, space, cells: [], bytes: [], isSeed: false };
    const kind = random(4);
    if (kind === 0) return { asked: { ...common, isSeed: true }, definers: [] };
    if (kind === 1) {
      const cells = this.cellsOf(thread);
      const defined = [...cells.keys()].filter((cell) => cells[cell] !== NOTHING && (this.options.frames || cell < RSP.offset || cell >= RSP.offset + 8));
      const first = defined[random(Math.max(1, defined.length))];
      if (first === undefined) return { asked: { ...common, isSeed: true }, definers: [] };
      const chosen = defined.filter((cell) => cell >= first && cell < first + 8);
      return { asked: { ...common, cells: chosen }, definers: chosen.map((cell) => cells[cell] as number) };
    }
    const all = [...this.memoryOf(space)];
    const place = kind === 2 ? random(Math.max(1, all.length)) : Math.max(0, all.length - 1 - random(200));
    const chosen = all.slice(place, place + 1 + random(8)).filter(([, definer]) => definer !== NOTHING);
    return { asked: { ...common, bytes: chosen.map(([linear]) => linear) }, definers: chosen.map(([, definer]) => definer) };
  }

  /** What the instruction left of registers is told by its outputs. */
  private checkChanges(time: number, bytes: Uint8Array, { block }: KnownInstruction, { cells }: InstructionDependences): void {
    const { player } = this.timeline;
    const { task } = player;
    if (player.next?.time === time + 1 || task === undefined) return;
    const before = bytes.slice(0, 640);
    player.advance(time + 1);
    const written = new Set(cells);
    const now = this.timeline.state.cpuWords(task.id) as Uint32Array;
    const after = new Uint8Array(now.buffer, now.byteOffset, now.byteLength);
    for (let i = 0; i < 640; i++) {
      if (i === RIP.offset) i = 256;
      if (before[i] !== after[i] && !written.has(i)) this.unsound.add(`byte ${i} of the state at ${block.start.toString(16)}`);
    }
  }

  private instructionAt(rip: number, read: (address: number, length: number) => Uint8Array | null): KnownInstruction {
    const known = this.known.get(rip);
    if (known !== undefined && Buffer.compare(read(rip, known.bytes.length) ?? NO_BYTES, known.bytes) === 0) return known;
    const made = knownInstruction(rip, read(rip, 15) ?? read(rip, 4096 - (rip % 4096)) ?? NO_BYTES);
    this.known.set(rip, made);
    return made;
  }

  private instance(evaluation: Evaluation, known: KnownInstruction, dependences: InstructionDependences, { time, thread, space, parent }: { readonly time: number; readonly thread: number; readonly space: number; readonly parent: number }): Instance {
    const { cells, memory } = { cells: this.cellsOf(thread), memory: this.memoryOf(space) };
    const [addresses, sizes] = [[] as number[], [] as number[]];
    let source: ((byte: number) => number) | undefined;
    for (const node of known.accessNodes) {
      const def = OPS[node.op] as OpDef;
      if (def.name.startsWith('rep.')) {
        const walk = stringWalk(def, node.imm, evaluation.before);
        const count = walk.count ?? 0;
        const low = (first: number): number => (walk.isBackward ? first - (count - 1) * walk.size : first);
        const places = [walk.source, walk.target].filter((first) => first !== undefined);
        for (const first of places) {
          addresses.push(low(first));
          sizes.push(count * walk.size);
        }
        if (def.name === 'rep.movs') source = (byte) => movedFrom(walk, low(walk.target as number) + byte) - low(walk.source as number);
      } else {
        addresses.push(def.name === 'sys.fpuImage' ? Number(evaluation.value(node.a)) : (evaluation.address(node) as number));
        sizes.push(dependences.accesses[sizes.length]?.bytes ?? 0);
      }
    }
    if (addresses.length !== dependences.accesses.length || addresses.some(Number.isNaN)) throw new Error(`accesses at ${evaluation.block.start.toString(16)}, time ${time}`);
    const definers = new Map<number, Output>();
    const uses = usesOf(dependences);
    const asks = known.block.end.kind === 'syscall' ? questions(evaluation) : [];
    for (const ref of [...uses, ...asks]) {
      if (isCell(ref)) {
        definers.set(ref, cells[ref] as number);
        continue;
      }
      const { access, byte } = loadOf(ref);
      if (dependences.accesses[access]?.isRepeated !== true) definers.set(ref, memory.get(((addresses[access] as number) + byte) % LINEAR) ?? NOTHING);
    }
    const loaded = dependences.accesses.map(({ isRepeated, isWrite }, k) => (isRepeated && !isWrite
      ? Array.from({ length: sizes[k] as number }, (_, byte) => memory.get(((addresses[k] as number) + byte) % LINEAR) ?? NOTHING)
      : []));
    return { known, dependences, thread, addresses, sizes, definers, asks, loaded, source, parent, carried: [], looked: [] };
  }

  /** The outputs of an instance are the latest definitions now. */
  private define(made: Instance, time: number, space: number): void {
    const { dependences, thread, addresses, sizes, known } = made;
    const [cells, memory] = [this.cellsOf(thread), this.memoryOf(space)];
    const { frames } = this.options;
    const restored = frames || known.restores === undefined ? undefined : this.restored(made, known.restores, memory);
    if (!frames && known.saves !== undefined) this.saved.set(time, Array.from({ length: 8 }, (_, k) => cells[(known.saves as number) + k] as number));
    for (const cell of dependences.cells) cells[cell] = time * OUTPUTS + cell;
    if (!frames && known.pointsFrame) for (let k = 0; k < 8; k++) cells[RBP.offset + k] = NOTHING;
    restored?.forEach((output, k) => {
      if (output !== undefined) cells[(known.restores as number) + k] = output;
    });
    dependences.accesses.forEach(({ isWrite }, k) => {
      if (!isWrite) return;
      for (let byte = 0; byte < (sizes[k] as number); byte++) memory.set(((addresses[k] as number) + byte) % LINEAR, time * OUTPUTS + STORED + k * PER_ACCESS + byte);
    });
  }

  /** Of bytes that were saved by a push of the same register: what had defined them. */
  private restored({ addresses }: Instance, register: number, memory: Map<number, Output>): readonly (Output | undefined)[] {
    return Array.from({ length: 8 }, (_, k) => {
      const definer = memory.get(((addresses[0] as number) + k) % LINEAR) ?? NOTHING;
      const time = Math.floor(definer / OUTPUTS);
      const isSame = definer !== NOTHING && this.instances[time]?.known.saves === register && definer % OUTPUTS === STORED + k;
      return isSame ? this.saved.get(time)?.[k] : undefined;
    });
  }

  // ---- the kernel

  private happened(event: RecordedEvent, done: number): void {
    const { effects, stop, time, task, registers } = event;
    const all = kernelChanges(event, this.timeline.transfers.of(time, done));
    const [asked, changes] = [all.filter(({ kind }) => kind === 'ask'), all.filter(({ kind }) => CARRYING.has(kind))];
    const isReturn = stop === 'syscall' && new DataView(registers.buffer, registers.byteOffset).getBigUint64(RAX.offset, true) === RT_SIGRETURN;
    if (isReturn) {
      const before = this.interrupted.get(task)?.pop();
      if (before !== undefined) this.cellsOf(task).set(before.cells);
      const context = Number(new DataView(registers.buffer, registers.byteOffset).getBigUint64(RSP.offset, true));
      if (before !== undefined && context === before.context) IN_CONTEXT.forEach((register, i) => {
        for (let k = 0; k < 8; k++) this.cellsOf(task)[register * 8 + k] = this.memoryOf(before.space).get((context + 40 + i * 8 + k) % LINEAR) ?? NOTHING;
      });
      this.control.leaveHandler(task);
    }
    for (const change of asked) this.ask(change);
    const handlers = all.flatMap((change) => (change.kind === 'handler' ? [change.context] : []));
    const carryOthers = (): void => {
      while (changes.length > 0 && changes[0]?.kind !== 'write') this.carry(changes.shift() as KernelChange);
    };
    effects.forEach((effect) => {
      switch (effect.op) {
        case 'write': {
          carryOthers();
          for (let left = effect.bytes.length; left > 0; ) {
            const change = changes.shift();
            if (change?.kind !== 'write') throw new Error('what was stored is told in another order');
            this.carry(change);
            left -= change.bytes;
          }
          break;
        }
        case 'woken': case 'result': carryOthers(); break;
        case 'copySpace': {
          const from = this.memoryOf(effect.from);
          this.memory.set(effect.space, new BruteMemory(from, [...from.shared]));
          break;
        }
        case 'clear': this.memory.delete(effect.space); break;
        case 'map': {
          const { start, end, shared, object, device, inode, fileOffset } = effect.mapping;
          this.forget(effect.space, start, end - start);
          const content = this.channelOf(`file ${device}:${inode}`);
          if (object === undefined) break;
          if (shared) this.memoryOf(effect.space).shared.push({ first: start % LINEAR, bytes: end - start, content, position: fileOffset });
          else for (const [position, output] of content) if (position >= fileOffset && position - fileOffset < end - start) this.memoryOf(effect.space).set((start + position - fileOffset) % LINEAR, output);
          break;
        }
        case 'unmap': this.forget(effect.space, effect.start, effect.length); break;
        case 'discard': case 'forget': {
          const memory = this.memoryOf(effect.space);
          // What is shared is what others have.
          if (!memory.shared.some(({ first, bytes }) => effect.start % LINEAR >= first && effect.start % LINEAR < first + bytes)) this.forget(effect.space, effect.start, effect.length);
          break;
        }
        case 'copyPages': {
          const memory = this.memoryOf(effect.space);
          for (let byte = 0; byte < effect.length; byte++) {
            const from = memory.get((effect.from + byte) % LINEAR);
            if (from === undefined) memory.delete((effect.to + byte) % LINEAR);
            else memory.set((effect.to + byte) % LINEAR, from);
          }
          break;
        }
        case 'program': {
          // A child is told with the program that it has from its parent.
          if (stop === 'start' || effects.some(({ op }) => op === 'process')) break;
          this.cellsOf(task).fill(NOTHING);
          this.control.forget(task, []);
          break;
        }
        case 'registers':
          if (stop === 'start') break;
          this.cells.set(effect.task, this.cellsOf(task).slice());
          this.control.begin(effect.task, time - 1);
          break;
        case 'signal':
          if (effect.handled) this.signalled(effect.task, handlers.shift());
          break;
        default:
      }
    });
  }

  /** System calls carry bytes between memory and files. */
  private carry(change: KernelChange): void {
    switch (change.kind) {
      case 'write': {
        const { from, bytes, task } = change;
        const memory = this.memoryOf(change.space);
        for (let k = 0; k < bytes; k++) {
          const source = from === undefined ? undefined : this.channelOf(from.channel).get(from.position + k);
          memory.set((change.address + k) % LINEAR, from === undefined ? this.kernelOf(task) : this.carriedBy(task, source ?? NOTHING));
        }
        break;
      }
      case 'send':
        for (let k = 0; k < change.bytes; k++) this.channelOf(change.to.channel).set(change.to.position + k, this.carriedBy(change.task, this.memoryOf(change.space).get((change.address + k) % LINEAR) ?? NOTHING));
        break;
      case 'pass':
        for (let k = 0; k < change.bytes; k++) this.channelOf(change.to.channel).set(change.to.position + k, this.carriedBy(change.task, this.channelOf(change.from.channel).get(change.from.position + k) ?? NOTHING));
        break;
      case 'cut': {
        const channel = this.channelOf(change.at.channel);
        for (const position of channel.keys()) if (position >= change.at.position) channel.delete(position);
        break;
      }
      default:
    }
  }

  private ask(change: KernelChange): void {
    const call = change.kind === 'ask' ? this.kernelOf(change.task) : NOTHING;
    if (change.kind !== 'ask' || call === NOTHING) return;
    const memory = this.memoryOf(change.space);
    const { looked } = this.instances[Math.floor(call / OUTPUTS)] as Instance;
    for (let k = 0; k < change.bytes; k++) looked.push(memory.get((change.address + k) % LINEAR) ?? NOTHING);
  }

  private channelOf(name: string): Map<number, Output> {
    let known = this.channels.get(name);
    if (known === undefined) this.channels.set(name, (known = new Map()));
    return known;
  }

  private carriedBy(task: number, source: Output): Output {
    const call = this.kernelOf(task);
    if (call === NOTHING) return NOTHING;
    const time = Math.floor(call / OUTPUTS);
    return time * OUTPUTS + CARRIED + (this.instances[time] as Instance).carried.push(source) - 1;
  }

  /** Called before the event takes effect: the thread's registers are those that its handler finds on the stack. */
  private signalled(task: number, context: number | undefined): void {
    const words = this.timeline.state.cpuWords(task) as Uint32Array;
    const view = new DataView(words.buffer, words.byteOffset, words.byteLength);
    const cells = this.cellsOf(task);
    const stack = this.interrupted.get(task) ?? [];
    const space = this.timeline.player.task?.id === task ? this.timeline.player.task.space : (this.spaceOf.get(task) ?? 0);
    stack.push({ cells: cells.slice(), context, space });
    this.interrupted.set(task, stack);
    if (context !== undefined) IN_CONTEXT.forEach((register, i) => {
      for (let k = 0; k < 8; k++) this.memoryOf(space).set((context + 40 + i * 8 + k) % LINEAR, cells[register * 8 + k] as number);
    });
    for (const { offset } of FIRST_ARGUMENTS) cells.fill(this.kernelOf(task), offset, offset + 8);
    cells.fill(this.kernelOf(task), FLOATS);
    this.control.signalled(task, Number(view.getBigUint64(RIP.offset, true)), Number(view.getBigUint64(RSP.offset, true)));
  }

  private forget(space: number, start: number, length: number): void {
    const memory = this.memoryOf(space);
    // A program that maps something over a part of what it shares is not among those that are compared.
    const kept = memory.shared.filter(({ first, bytes }) => first >= (start % LINEAR) + length || first + bytes <= start % LINEAR);
    memory.shared.splice(0, Infinity, ...kept);
    if (length > 0x10_0000) {
      for (const linear of memory.keys()) if (linear >= start % LINEAR && linear < (start % LINEAR) + length) memory.delete(linear);
    } else for (let byte = 0; byte < length; byte++) memory.delete((start + byte) % LINEAR);
  }

  /** What the kernel stores is defined by the system call of the thread. */
  private kernelOf(task: number): Output {
    const last = this.lastOf.get(task);
    return last?.isSystemCall === true && last.time >= this.options.from ? last.time * OUTPUTS + BY_KERNEL : NOTHING;
  }

  // ---- slices

  slice({ asked, definers }: Sample, which: { readonly data: boolean; readonly control: boolean }): BruteSlice {
    return new Reached(this.instances, this.options, which).from(definers, asked.isSeed ? [asked.time] : []);
  }
}

function questions({ before }: Evaluation): number[] {
  return questionSlots(Number(before.slot(RAX.offset, 'i32'))).flatMap(({ offset }) => Array.from({ length: 8 }, (_, i) => offset + i));
}

function slotIn(view: DataView, offset: number, type: Type): bigint {
  if (type === 'i32') return BigInt(view.getUint32(offset, true));
  const low = view.getBigUint64(offset, true);
  return type === 'i64' ? low : low | (view.getBigUint64(offset + 8, true) << 64n);
}

function numberFrom(bytes: Uint8Array | null): bigint | undefined {
  return bytes === null ? undefined : bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}
