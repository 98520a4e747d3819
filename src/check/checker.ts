/**
 * Runs programs on a heap that is watched to the byte (heap/heap.ts): stands in for the allocation functions of their libraries, and looks at faults before they become signals.
 * What it finds it hands on; whether the run goes on is for others to say.
 */
import { E } from '../base/errno.js';
import { type GuestAddr, guestAddr, pageCeil } from '../base/types.js';
import { RAX, RCX, RDI, RDX, RSI, RSP, type Slot } from '../layout/cpuState.js';
import type { Interceptor } from '../linux/interception.js';
import { MAP } from '../linux/memory/mmapFlags.js';
import type { Process } from '../linux/process.js';
import type { Task } from '../linux/tasks/task.js';
import { type AddressSpace, BadAddress, PROT } from '../machine/addressSpace.js';
import type { Mapping } from '../machine/mapping.js';
import type { Stop } from '../machine/stop.js';
import type { Finding } from './findings.js';
import { type AllocationFamily, LIBRARY_FUNCTIONS, type LibraryFunction, plainName } from './functions.js';
import type { Block, Moment } from './heap/blocks.js';
import { Heap } from './heap/heap.js';
import type { Pages } from './heap/storage.js';
import { Libraries } from './libraries.js';

/** What is to be done about a finding: stop everything, or let the program go on as well as it can. */
export type Decision = 'stop' | 'go on';

const ARGUMENTS: readonly Slot[] = [RDI, RSI, RDX, RCX];
const PAGE = 4096;

/** A checked address space: its heap, and the functions that we stand in for there. */
interface Checked {
  readonly heap: Heap;
  readonly functions: Map<number, string>;
}

export class Checker implements Interceptor {
  private readonly spaces = new Map<AddressSpace, Checked>();
  private readonly libraries = new Libraries();

  constructor(private readonly onFinding: (finding: Finding, task: Task) => Decision) {}

  programStarted(process: Process): void {
    const { space } = process;
    const checked: Checked = { heap: new Heap(space, pagesOf(process)), functions: new Map() };
    this.spaces.set(space, checked);
    space.onCodeMapped = (m) => this.codeMapped(process, checked, m);
    for (const m of space.mappings()) if (m.file !== undefined && (m.prot & PROT.EXEC) !== 0) this.codeMapped(process, checked, m);
  }

  forked(maker: Process, child: Process): void {
    const from = this.spaces.get(maker.space);
    if (from === undefined || child.space === maker.space) return;
    const checked: Checked = { heap: new Heap(child.space, pagesOf(child), from.heap), functions: new Map(from.functions) };
    this.spaces.set(child.space, checked);
    child.space.onCodeMapped = (m) => this.codeMapped(child, checked, m);
    child.machine.engine.setBreakpoints?.(new Set(checked.functions.keys()));
  }

  /** The heap of a process. */
  heapOf(process: Process): Heap | undefined {
    return this.spaces.get(process.space)?.heap;
  }

  called(task: Task, at: GuestAddr): void {
    const checked = this.spaces.get(task.process.space);
    const name = checked?.functions.get(at);
    const action = name === undefined ? undefined : LIBRARY_FUNCTIONS[name];
    if (checked === undefined || name === undefined || action === undefined) return;
    new Call(task, checked.heap, plainName(name), (finding) => this.onFinding(finding, task)).answer(action);
  }

  faulted(task: Task, stop: Stop & { kind: 'pageFault' }): boolean {
    const { process } = task;
    const address = Number(stop.address);
    const block = this.heapOf(process)?.blocks.of(address);
    const { access } = stop;
    const moment = momentOf(task, '');
    if (this.onFinding({ kind: 'access', access, address, moment, rip: process.cpu.rip, block }, task) === 'stop') return true;
    return block !== undefined && tolerate(process.space, block, address);
  }

  private codeMapped(process: Process, { functions }: Checked, m: Mapping): void {
    const found = this.libraries.functionsIn(m);
    if (found.length === 0) return;
    for (const { name, address } of found) functions.set(address, name);
    process.machine.engine.setBreakpoints?.(new Set(functions.keys()));
  }
}

/** A call of a function that we stand in for. */
class Call {
  private readonly moment: Moment;

  constructor(
    private readonly task: Task,
    private readonly heap: Heap,
    name: string,
    private readonly report: (finding: Finding) => Decision,
  ) {
    this.moment = momentOf(task, name);
  }

  answer(f: LibraryFunction): void {
    switch (f.does) {
      case 'allocate':
        return this.give(this.allocate(f.family, this.sizeOf(f), f));
      case 'allocateInto':
        return this.allocateInto();
      case 'free':
        return this.free(f.family);
      case 'resize':
        return this.resize(this.sizeOf(f));
      case 'measure':
        return this.giveBack(this.heap.blocks.at(this.argument(0))?.size ?? 0);
    }
  }

  private sizeOf(f: { readonly size: number; readonly count?: number }): number {
    return this.argument(f.size) * (f.count === undefined ? 1 : this.argument(f.count));
  }

  private allocate(family: AllocationFamily, size: number, f: { readonly alignment?: number; readonly zeroed?: boolean; readonly wholePages?: boolean } = {}): Block | undefined {
    const alignment = f.wholePages === true ? PAGE : f.alignment === undefined ? undefined : this.argument(f.alignment);
    return this.heap.allocate({ size, family, ...(alignment === undefined ? {} : { alignment }), ...(f.zeroed === true ? { zeroed: true } : {}) }, this.moment);
  }

  /** It returns 0 and stores the pointer, or returns an error number. */
  private allocateInto(): void {
    const [where, alignment, size] = [this.argument(0), this.argument(1), this.argument(2)];
    if (alignment < 8 || !Number.isInteger(Math.log2(alignment))) return this.giveBack(E.INVAL);
    const block = this.heap.allocate({ size, family: 'malloc', alignment }, this.moment);
    if (block === undefined) return this.giveBack(E.NOMEM);
    try {
      this.task.process.space.writeNum64(where, block.begin);
    } catch (error) {
      if (!(error instanceof BadAddress)) throw error;
    }
    this.giveBack(0);
  }

  private free(family: AllocationFamily): void {
    const address = this.argument(0);
    const block = this.heap.blocks.at(address);
    if (address !== 0 && (block === undefined || block.family !== family) && this.complain(address, family) === 'stop') return;
    if (block !== undefined) this.heap.free(block, this.moment);
    this.giveBack(0);
  }

  private resize(size: number): void {
    const address = this.argument(0);
    if (address === 0) return this.give(this.allocate('malloc', size));
    const block = this.heap.blocks.at(address);
    if (block === undefined || block.family !== 'malloc') {
      if (this.complain(address, 'malloc') === 'stop') return;
      if (block === undefined) return this.giveBack(0);
    }
    if (size > 0) return this.give(this.heap.resize(block, size, this.moment));
    this.heap.free(block, this.moment);
    this.giveBack(0);
  }

  private complain(address: number, family: AllocationFamily): Decision {
    return this.report({ kind: 'free', address, family, moment: this.moment, rip: this.task.process.cpu.rip, block: this.heap.blocks.of(address) });
  }

  private argument(n: number): number {
    return this.task.process.cpu.num(ARGUMENTS[n] as Slot);
  }

  private give(block: Block | undefined): void {
    this.giveBack(block?.begin ?? 0);
  }

  /** Returns to the caller. */
  private giveBack(result: number): void {
    const { cpu, space } = this.task.process;
    const stack = cpu.num(RSP);
    cpu.setNum(RAX, result);
    cpu.rip = guestAddr(space.readNum64(stack));
    cpu.setNum(RSP, stack + 8);
  }
}

function momentOf(task: Task, by: string): Moment {
  return { time: task.process.world.instructions, tid: task.tid, pid: task.process.pid, by };
}

function pagesOf(process: Process): Pages {
  return {
    map(length) {
      const address = process.memory.mmap({ address: 0, length: pageCeil(length), prot: PROT.READ | PROT.WRITE, flags: MAP.PRIVATE | MAP.ANONYMOUS, offset: 0 }, null);
      return address < 0 ? undefined : address;
    },
    unmap: (address, length) => void process.memory.munmap(address, length),
  };
}

/** Lets an access happen that was reported: the page of addresses becomes part of the block. False: there is nothing there to access. */
function tolerate(space: AddressSpace, block: Block, address: number): boolean {
  const page = address - (address % PAGE);
  const near = space.viewNear(address);
  const begin = Math.min(near?.begin ?? page, page);
  const end = Math.max(near === undefined ? 0 : near.begin + near.size, page + PAGE);
  const real = begin - block.begin + block.real;
  if (space.find(page - block.begin + block.real) === undefined) return false;
  if (near !== undefined) space.removeView(near.begin);
  const view = { begin, size: end - begin, real };
  if (!space.hasRoomForView(view)) return false;
  space.addView(view);
  return true;
}
