/**
 * Runs programs on a heap that is watched to the byte (heap/heap.ts): stands in for the allocation functions of their libraries, looks at faults before they become
 * signals, and asks the rules. What it finds it hands on; whether the run goes on is for others to say.
 */
import { type GuestAddr, PAGE_SIZE, pageCeil, pageFloor } from '../base/types.js';
import type { Interceptor } from '../linux/interception.js';
import { MAP } from '../linux/memory/mmapFlags.js';
import type { ExitStatus, Process } from '../linux/process.js';
import { SIG } from '../linux/signals/signalNumbers.js';
import type { Task } from '../linux/tasks/task.js';
import { type AddressSpace, PROT } from '../machine/addressSpace.js';
import type { Mapping } from '../machine/mapping.js';
import type { Stop } from '../machine/stop.js';
import type { CompiledRule, Firing } from '../rules/evaluate/compileRule.js';
import type { Occurrence } from '../rules/evaluate/machine.js';
import type { Finding } from './findings.js';
import { LIBRARY_FUNCTIONS, plainName } from './functions.js';
import type { Block, Moment } from './heap/blocks.js';
import { Heap } from './heap/heap.js';
import type { Pages } from './heap/storage.js';
import { HeapMachine } from './heapMachine.js';
import { HeapPointers } from './heapPointers.js';
import { Libraries } from './libraries.js';
import { LibraryCall } from './libraryCall.js';

/** What is to be done about a finding: stop everything, or let the program go on as well as it can. */
export type Decision = 'stop' | 'go on';

/** A checked address space: its heap, and the functions that we stand in for there. */
interface Checked {
  readonly heap: Heap;
  readonly functions: Map<number, string>;
}

export class Checker implements Interceptor {
  private readonly spaces = new Map<AddressSpace, Checked>();
  private readonly libraries = new Libraries();

  constructor(
    private readonly rules: readonly CompiledRule[],
    private readonly onFinding: (finding: Finding, task: Task) => Decision,
  ) {}

  programStarted(process: Process): void {
    const { space } = process;
    const checked: Checked = { heap: new Heap(space, pagesOf(process)), functions: new Map() };
    this.spaces.set(space, checked);
    space.expectViews();
    space.onCodeMapped = (m) => this.codeMapped(process, checked, m);
    for (const m of space.mappings()) if (m.file !== undefined && (m.prot & PROT.EXEC) !== 0) this.codeMapped(process, checked, m);
  }

  forked(maker: Process, child: Process): void {
    const from = this.spaces.get(maker.space);
    if (from === undefined || child.space === maker.space) return;
    const checked: Checked = { heap: new Heap(child.space, pagesOf(child), from.heap), functions: new Map(from.functions) };
    this.spaces.set(child.space, checked);
    child.space.onCodeMapped = (m) => this.codeMapped(child, checked, m);
    child.machine.engine.setHooks?.(new Set(checked.functions.keys()));
  }

  called(task: Task, at: GuestAddr): void {
    const checked = this.spaces.get(task.process.space);
    const name = checked?.functions.get(at);
    const action = name === undefined ? undefined : LIBRARY_FUNCTIONS[name];
    if (checked === undefined || name === undefined || action === undefined) return;
    const moment = momentOf(task, plainName(name));
    const ask = (pointer: number): Decision => this.ask(task, { kind: 'free', pointer: BigInt(pointer), by: moment.by }, moment) ?? 'go on';
    new LibraryCall(task.process, checked.heap, moment, ask).answer(action);
  }

  faulted(task: Task, { address, access }: Stop & { kind: 'pageFault' }): boolean {
    const { process } = task;
    const block = this.heapOf(process)?.blocks.of(Number(address));
    // Who has a handler may have meant it, unless it is about the heap.
    if (access === 'execute' || (block === undefined && process.signals.catches(SIG.SEGV))) return false;
    const decision = this.ask(task, { kind: access, pointer: address, size: 1 }, momentOf(task, ''));
    if (decision === undefined) return false;
    return decision === 'stop' || (block !== undefined && tolerate(process.space, block, Number(address)));
  }

  /** A process has ended, with its memory still there. */
  ended(process: Process, status: ExitStatus): void {
    const { leader } = process;
    const occurrence: Occurrence = { kind: 'exit', status: BigInt(status.kind === 'exited' ? status.code : 128 + status.signal) };
    const machine = this.machineFor(process);
    if (machine === undefined) return;
    const moment = momentOf(leader, '');
    for (const rule of this.rules) for (const firing of rule.evaluateAll(machine, occurrence)) this.report(leader, firing, occurrence, moment);
  }

  private heapOf(process: Process): Heap | undefined {
    return this.spaces.get(process.space)?.heap;
  }

  private machineFor(process: Process): HeapMachine | undefined {
    const heap = this.heapOf(process);
    return heap && new HeapMachine(heap, process.space, process.world.instructions, () => new HeapPointers(process, heap));
  }

  /** What the first rule that fires comes to; undefined if there is none. */
  private ask(task: Task, occurrence: Occurrence, moment: Moment): Decision | undefined {
    const machine = this.machineFor(task.process);
    if (machine === undefined) return undefined;
    for (const rule of this.rules) {
      const firing = rule.evaluate(machine, occurrence);
      if (firing !== undefined) return this.report(task, firing, occurrence, moment);
    }
    return undefined;
  }

  private report(task: Task, firing: Firing, occurrence: Occurrence, moment: Moment): Decision {
    const block = this.subjectOf(task.process, firing, occurrence);
    return this.onFinding({ firing, occurrence, moment, rip: task.process.cpu.rip, block: block && { ...block } }, task);
  }

  private subjectOf(process: Process, firing: Firing, occurrence: Occurrence): Block | undefined {
    const blocks = this.heapOf(process)?.blocks;
    if ('pointer' in occurrence) return blocks?.of(Number(occurrence.pointer));
    const named = firing.variables.find(({ sort }) => sort === 'block')?.value;
    return typeof named === 'bigint' ? blocks?.numbered(Number(named)) : undefined;
  }

  private codeMapped(process: Process, { functions }: Checked, m: Mapping): void {
    const found = this.libraries.functionsIn(m);
    if (found.length === 0) return;
    // The first name of several is the usual one.
    for (const { name, address } of found) if (!functions.has(address)) functions.set(address, name);
    process.machine.engine.setHooks?.(new Set(functions.keys()));
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
  const page = pageFloor(address);
  const near = space.viewNear(address);
  const begin = Math.min(near?.begin ?? page, page);
  const end = Math.max(near === undefined ? 0 : near.begin + near.size, page + PAGE_SIZE);
  const real = begin - block.begin + block.real;
  if (space.find(page - block.begin + block.real) === undefined) return false;
  if (near !== undefined) space.removeView(near.begin);
  const view = { begin, size: end - begin, real };
  if (!space.hasRoomForView(view)) return false;
  space.addView(view);
  return true;
}
