/**
 * The programs of an execution as control is followed through them: each process has one, with its code and the graphs
 * of its functions. A process that executes another program gets a new one.
 */
import { type GuestAddr, guestAddr, hex } from '../../base/types.js';
import { stubAt } from '../../debugger/program/linkage.js';
import type { ModuleList, Modules } from '../../debugger/program/modules.js';
import { ProgramView } from '../../debugger/program/programView.js';
import { isUsers } from '../../flow/ownCode.js';
import type { FunctionGraph } from '../../graphs/functionGraph.js';
import { FunctionGraphs } from '../../graphs/functionGraphs.js';
import { LoadedCode } from '../../graphs/loadedCode.js';
import type { LoggedBlock } from '../../ir/loggedBlocks.js';
import type { ObservedRun } from '../../replay/timeline/observing.js';
import type { State } from '../../replay/timeline/state.js';
import { type CodeBlock, type CodeInstruction, CodeTable, ProgramCode } from '../trace/codeTable.js';
import { Paths } from '../trace/paths.js';
import { binderOf, resolverSlot } from './binding.js';
import { Layouts } from './layouts.js';

/** A block, with what following control needs of it. */
export interface FollowedBlock extends CodeBlock {
  /** Among all blocks of all programs. */
  readonly index: number;
  readonly last: CodeInstruction;
  /** Of the log's entries: the one that the last instruction's access has, which is where a return address lies. */
  readonly lastEntry: number;
  isOwn: boolean | undefined;
}

export class Program {
  /** By the number that observation has for it. */
  readonly code: (FollowedBlock | undefined)[] = [];
  readonly layouts: Layouts;
  private readonly own: ProgramCode;
  private graphs: FunctionGraphs | undefined;
  private source: LoadedCode | undefined;
  /** Where code is read from that has not been seen yet. */
  private run: ObservedRun | undefined;
  private view: ProgramView | undefined;
  /** The linker's code for calls that are not bound yet, and the function of it that binds them. */
  private resolver: number | undefined;
  private binder: number | undefined;

  constructor(
    private readonly programs: Programs,
    readonly pid: number,
  ) {
    this.own = new ProgramCode(programs.table, (one) => void (programs.owners[one.id] = this));
    this.layouts = programs.layouts;
  }

  meet(logged: LoggedBlock, run: ObservedRun): FollowedBlock {
    const read = (address: GuestAddr, length: number): Uint8Array => run.state.read(run.thread, address, length) ?? new Uint8Array(length);
    if (this.view?.moduleAt(BigInt(logged.start)) === undefined) this.look(run);
    this.resolver ??= this.resolverOf(logged.start, read);
    const block = this.own.blockOf(logged, read);
    const last = block.instructions.at(-1) as CodeInstruction;
    const made = {
      ...block, index: this.programs.blocks.length, last, isOwn: undefined,
      lastEntry: block.accesses.at(-1)?.at(-1)?.entry ?? 0,
    };
    this.programs.blocks.push(made);
    this.code[logged.number] = made;
    return made;
  }

  /** Undefined as long as it has not been executed. */
  instructionAt(address: number): CodeInstruction | undefined {
    return this.own.at(address);
  }

  graphOf(entry: number, run: ObservedRun): FunctionGraph {
    return this.graphsIn(run).graphOf(entry);
  }

  isFunction(address: number): boolean {
    return this.source?.functionAt(address) !== undefined;
  }

  /** Whether an address belongs to the function that is entered at another, as far as is known. */
  isPartOf(entry: number, address: number): boolean {
    return this.source?.functionAround(entry)?.ranges.some(({ start, end }) => address >= start && address < end) === true;
  }

  /** Whether it is the user's own code: what libraries do is told as what their callers do. */
  isOwn(block: FollowedBlock): boolean {
    return (block.isOwn ??= this.isOwnAt(block.logged.start));
  }

  isOwnAt(address: number): boolean {
    const { view } = this;
    const module = view?.moduleAt(BigInt(address));
    if (view === undefined || module === undefined) return false;
    const inFile = address - Number(module.bias);
    if (stubAt(module, inFile) !== undefined) return false;
    const range = module.file.lineRangeAt(inFile);
    const isDescribed = module.info === undefined || (range !== undefined && range.line > 0);
    return isDescribed && isUsers(view, module, range?.file?.path);
  }

  /** Whether it is code of the dynamic linker that binds calls to functions when they are made first. */
  isBinding(address: number): boolean {
    const { resolver, source } = this;
    if (resolver === undefined || source === undefined) return false;
    this.binder ??= binderOf(source, resolver);
    return this.binder !== undefined && source.functionAround(address)?.entry === this.binder;
  }

  private resolverOf(start: number, read: (address: GuestAddr, length: number) => Uint8Array): number | undefined {
    const module = this.view?.moduleAt(BigInt(start));
    const slot = module === undefined ? undefined : resolverSlot(module, start);
    if (slot === undefined) return undefined;
    const bytes = read(guestAddr(slot), 8);
    return Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true));
  }

  /** The function and line of an instruction. */
  placeAt(address: number): { readonly path: string | undefined; readonly line: number; readonly functionName: string | undefined } {
    const module = this.view?.moduleAt(BigInt(address));
    const range = module?.file.lineRangeAt(address - Number(module.bias));
    const hasLine = range?.file !== undefined && range.line > 0;
    const around = this.source?.functionAround(address);
    // Without any name, functions are told apart by where they begin.
    const functionName = around?.name ?? (hasLine || around === undefined ? undefined : hex(around.entry));
    return { path: hasLine ? range.file?.path : undefined, line: hasLine ? range.line : 0, functionName };
  }

  /** Where the x87 stack begins after a block. */
  topAfter({ instructions }: CodeBlock, before: number): number {
    const { table } = this.programs;
    return instructions.reduce((top, one) => (one.usesX87 ? (table.dependencesAt(one, top).top ?? top) : top), before);
  }

  /** A jump inside a function, or to a place that only an exception leads to. Undefined if the function knew of it. */
  learn(entry: number, jump: number, target: number): FunctionGraph | undefined {
    if (this.graphs?.learn(entry, jump, target) !== true) return undefined;
    this.programs.hasLearnt = true;
    return this.graphs.graphOf(entry);
  }

  /** Code of modules that are not known yet. */
  private look(run: ObservedRun): void {
    const { state, thread: id } = run;
    const thread = state.threads.find((one) => one.id === id) ?? { id, tid: 0, pid: 0, name: '' };
    this.view = new ProgramView(state, thread, this.programs.modules);
  }

  private graphsIn(run: ObservedRun): FunctionGraphs {
    this.run = run;
    if (this.graphs === undefined) {
      this.look(run);
      const current = (): ObservedRun => this.run as ObservedRun;
      const modules = (): ModuleList => this.programs.modules.of(current().state, current().thread);
      this.source = new LoadedCode(modules, (address, length) => current().state.read(current().thread, guestAddr(address), length));
      this.graphs = new FunctionGraphs(this.source);
    }
    return this.graphs;
  }
}

/** How often each process has executed another program so far, by its id. */
export type Generations = ReadonlyMap<number, number>;

export class Programs {
  readonly table = new CodeTable();
  readonly layouts = new Layouts();
  readonly paths = new Paths();
  readonly blocks: FollowedBlock[] = [];
  /** Of each instruction, by its number. */
  readonly owners: Program[] = [];
  /** A jump went where no graph of a function knew that it could. */
  hasLearnt = false;
  private readonly all = new Map<string, Program>();
  private readonly binding: (boolean | undefined)[] = [];

  constructor(readonly modules: Modules) {}

  ownerOf({ id }: CodeInstruction): Program {
    return this.owners[id] as Program;
  }

  /** Unless it only binds a call. */
  isOfProgram(one: CodeInstruction): boolean {
    return !(this.binding[one.id] ??= this.ownerOf(one).isBinding(one.address));
  }

  /** That of a thread's process. */
  of(thread: number, state: State, generations: Generations): Program {
    const pid = state.threads.find(({ id }) => id === thread)?.pid ?? 0;
    const key = `${pid}:${generations.get(pid) ?? 0}`;
    let known = this.all.get(key);
    if (known === undefined) this.all.set(key, (known = new Program(this, pid)));
    return known;
  }
}
