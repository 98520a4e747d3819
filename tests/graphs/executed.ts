/**
 * Compares graphs with what really happens: a program is recorded, its run observed, and every step from one
 * instruction to the next within a call of a function has to be an edge of that function's graph.
 */
import { NEAR_FILES } from '../debugger/debugged.js';
import { record } from '../replay/recorded.js';
import { Modules } from '../../src/debugger/program/modules.js';
import { FunctionGraphs } from '../../src/graphs/functionGraphs.js';
import type { CodeNode, FunctionGraph } from '../../src/graphs/functionGraph.js';
import { LoadedCode } from '../../src/graphs/loadedCode.js';
import { buildCoreModule } from '../../src/jit/coreModule.js';
import type { LoggedBlock } from '../../src/ir/loggedBlocks.js';
import type { Happening, ObservedRun } from '../../src/replay/timeline/observing.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';

const coreModule = buildCoreModule();

export interface Comparison {
  /** Different steps from block to block, by function. */
  readonly steps: number;
  /** Those of them that were made by indirect jumps to the same function. */
  readonly indirect: number;
  /** What is no edge, in words. */
  readonly misses: readonly string[];
  readonly functions: number;
  /** Whole time that graphs took, in milliseconds, and the longest. */
  readonly spent: number;
  readonly slowest: { readonly name: string; readonly nodes: number; readonly spent: number };
}

/** `own`: only steps in functions of the program itself are looked at. */
export async function compare(words: readonly string[], own = false): Promise<Comparison> {
  const { options } = await record(words, { engine: { coreModule } });
  const timeline = new Timeline(options);
  const listener = new Comparing(own);
  await timeline.observe({ addresses: false }, listener);
  return listener.result();
}

interface Frame {
  readonly entry: number;
  readonly returnTo: number;
}

class Walker {
  frames: Frame[] = [];
  last: LoggedBlock | undefined;
}

class Program {
  readonly code: LoadedCode;
  readonly graphs: FunctionGraphs;
  readonly checked = new Set<string>();
  readonly inside = new Map<string, number>();
  readonly timed = new Map<number, FunctionGraph>();
  /** Whether functions are in the program itself. */
  readonly own = new Map<number, boolean>();
  run: ObservedRun;

  constructor(run: ObservedRun, modules: Modules) {
    this.run = run;
    this.code = new LoadedCode(() => modules.of(this.run.state, this.run.thread), (address, length) => this.run.state.read(this.run.thread, address as never, length));
    this.graphs = new FunctionGraphs(this.code);
  }
}

class Comparing {
  private readonly walkers = new Map<number, Walker>();
  private readonly programs = new Map<number, Program>();
  private readonly modules = new Modules(NEAR_FILES);
  private readonly misses = new Set<string>();
  private steps = 0;
  private indirect = 0;
  private spent = 0;
  private functions = 0;
  private slowest = { name: '', nodes: 0, spent: 0 };

  constructor(private readonly own: boolean) {}

  ran(run: ObservedRun): void {
    const { blocks, known, thread, state } = run;
    const pid = state.threads.find(({ id }) => id === thread)?.pid ?? 0;
    const program = this.programs.get(pid) ?? new Program(run, this.modules);
    this.programs.set(pid, program);
    program.run = run;
    const walker = this.walkers.get(thread) ?? new Walker();
    this.walkers.set(thread, walker);
    for (const number of blocks) {
      const block = known.get(number);
      this.step(program, walker, block);
      walker.last = block;
    }
  }

  happened({ kind, process, task }: Happening): void {
    if (kind === 'signal') {
      const walker = this.walkers.get(task);
      if (walker !== undefined) walker.last = undefined;
    }
    if (kind !== 'process' || process?.how !== 'executes') return;
    this.walkers.clear();
    this.programs.clear();
  }

  result(): Comparison {
    const { steps, indirect, misses, functions, spent, slowest } = this;
    return { steps, indirect, misses: [...misses], functions, spent, slowest };
  }

  private step(program: Program, walker: Walker, block: LoggedBlock): void {
    const { last, frames } = walker;
    const to = block.start;
    const top = frames.at(-1);
    if (last === undefined || top === undefined) walker.frames = [this.newFrame(program, to)];
    else if (last.end === 'call') frames.push({ entry: to, returnTo: last.next });
    else if (last.end === 'return') this.comeBack(program, walker, to);
    else if (last.end === 'jump') this.jump(program, frames, last, to);
    else if (last.next !== to) walker.frames = [this.newFrame(program, to)];
    const frame = walker.frames.at(-1);
    if (frame !== undefined) walker.frames[walker.frames.length - 1] = { ...frame, entry: this.checkInside(program, frame, block) };
  }

  private isLookedAt(program: Program, entry: number): boolean {
    if (!this.own) return true;
    const known = program.own.get(entry);
    if (known !== undefined) return known;
    const modules = this.modules.of(program.run.state, program.run.thread);
    const isOwn = modules.at(BigInt(entry)) === modules.main;
    program.own.set(entry, isOwn);
    return isOwn;
  }

  private newFrame(program: Program, address: number): Frame {
    return { entry: program.code.functionAround(address)?.entry ?? address, returnTo: -1 };
  }

  private comeBack(program: Program, walker: Walker, to: number): void {
    const index = walker.frames.findLastIndex(({ returnTo }) => returnTo === to);
    if (index < 1) {
      walker.frames = [this.newFrame(program, to)];
      return;
    }
    walker.frames.length = index;
    const { entry } = walker.frames[index - 1] as Frame;
    if (!this.isLookedAt(program, entry)) return;
    if (program.checked.has(`${entry} return ${to}`)) return;
    const graph = this.graphOf(program, entry);
    const caller = graph.nodes.find((node) => node.end === to);
    this.check(program, entry, `return ${to}`, caller !== undefined && isEdge(graph, caller, to), () => `return to ${this.place(program, graph, to)}`);
  }

  private jump(program: Program, frames: Frame[], last: LoggedBlock, to: number): void {
    const { entry, returnTo } = frames.at(-1) as Frame;
    if (!this.isLookedAt(program, entry)) {
      frames[frames.length - 1] = { ...this.newFrame(program, to), returnTo };
      return;
    }
    const key = `jump ${last.number} ${to}`;
    const at = last.next - (last.lengths.at(-1) as number);
    const graph = this.graphOf(program, entry);
    const node = graph.nodeAt(at);
    const target = graph.nodeAt(to);
    if (target === undefined) {
      const around = program.code.functionAround(to);
      const isOwn = around !== undefined && around.entry === program.code.functionAround(entry)?.entry && to !== around.entry;
      // Stubs of the linker go on behind their jump until the function is found.
      const isStub = graph.nodes.length === 1 && to === last.next;
      this.check(program, entry, key, node?.leaves === true && (isStub || !isOwn), () => `jump ${at.toString(16)} -> ${this.place(program, graph, to)} leaves`);
      frames[frames.length - 1] = { entry: to, returnTo };
      return;
    }
    const isKnown = node !== undefined && (node.last === at ? isEdge(graph, node, to) : node === target && last.next === to);
    if (!program.checked.has(`${entry} ${key}`) && isIndirect(program, at, last)) this.indirect++;
    this.check(program, entry, key, isKnown, () => `jump ${at.toString(16)} -> ${this.place(program, graph, to)}`);
  }

  /** Returns the entry of the function that the block ends in: hand-written ones go on in the next, without a jump. */
  private checkInside(program: Program, { entry }: Frame, block: LoggedBlock): number {
    if (!this.isLookedAt(program, entry)) return entry;
    const key = `${entry} inside ${block.number}`;
    const known = program.inside.get(key);
    if (known !== undefined) return known;
    const last = this.lastEntry(program, entry, block);
    program.inside.set(key, last);
    return last;
  }

  private lastEntry(program: Program, first: number, block: LoggedBlock): number {
    let entry = first;
    let graph = this.graphOf(program, entry);
    let [at, node] = [block.start, graph.nodeAt(block.start)];
    if (node === undefined) this.misses.add(`no node at ${this.place(program, graph, at)}`);
    for (const length of block.lengths.subarray(0, -1)) {
      if (node === undefined) return entry;
      const next = at + length;
      if (node.last === at && node.leaves && program.code.functionAt(next) !== undefined) {
        [entry, graph] = [next, this.graphOf(program, next)];
        [at, node] = [next, graph.nodeAt(next)];
        continue;
      }
      const isKnown = node.last === at ? isEdge(graph, node, next) : graph.nodeAt(next) === node;
      if (!isKnown) this.misses.add(`step to ${this.place(program, graph, next)}`);
      [at, node] = [next, graph.nodeAt(next)];
    }
    return entry;
  }

  private check(program: Program, entry: number, key: string, isRight: boolean, text: () => string): void {
    const whole = `${entry} ${key}`;
    if (program.checked.has(whole)) return;
    program.checked.add(whole);
    this.steps++;
    if (!isRight) this.misses.add(text());
  }

  private graphOf(program: Program, entry: number): FunctionGraph {
    const known = program.timed.get(entry);
    if (known !== undefined) return known;
    const before = performance.now();
    const graph = program.graphs.graphOf(entry);
    const spent = performance.now() - before;
    program.timed.set(entry, graph);
    this.functions++;
    this.spent += spent;
    if (spent > this.slowest.spent) this.slowest = { name: `${graph.name} ${entry.toString(16)}`, nodes: graph.nodes.length, spent };
    return graph;
  }

  private place(program: Program, graph: FunctionGraph, address: number): string {
    const module = this.modules.of(program.run.state, program.run.thread).at(BigInt(address));
    const bias = Number(module?.bias ?? 0);
    return `${(address - bias).toString(16)} of ${module?.path} in ${graph.name} ${(graph.entry - bias).toString(16)}`;
  }
}

function isEdge(graph: FunctionGraph, from: CodeNode, to: number): boolean {
  const target = graph.nodeAt(to);
  return target !== undefined && target.start === to && from.successors.includes(target.index);
}

/** By its bytes: ff /4, maybe after prefixes. */
function isIndirect(program: Program, at: number, { lengths }: LoggedBlock): boolean {
  const bytes = program.code.fetch(at, lengths.at(-1) as number);
  const code = bytes.findIndex((byte) => byte === 0xff);
  return code >= 0 && code <= 2 && (((bytes[code + 1] as number) >> 3) & 7) === 4;
}
