/**
 * The history of data structures from an execution, in two observed passes: one finds out which memory is what and when
 * the structure must hold, one sees what is written to that memory.
 */
import { UserError } from '../../base/errors.js';
import type { LoadedModule } from '../../debugger/program/modules.js';
import { ProgramView } from '../../debugger/program/programView.js';
import { at } from '../../replay/log/position.js';
import type { ExecutionListener, SpotPlace, Spots } from '../../replay/timeline/observing.js';
import { chooseProcess, type RecordedProcess, recordedProcesses } from '../../replay/timeline/recordedProcesses.js';
import { quietly, type Work } from '../../replay/timeline/work.js';
import type { CPoint, StatementRef } from '../model.js';
import { type Allocators, allocatorsOf } from './allocators.js';
import { type Block, BlockWatch, type Passage } from './blocks.js';
import { DebugTypes, type NodeType } from './debugTypes.js';
import { CHUNK_TYPE, chunkOf } from './heapChunks.js';
import { MemoryMirror } from './memoryMirror.js';
import { type NodeLife, type NodeMemory, nodesOf } from './nodes.js';
import type { Operations } from './operations.js';
import { type AskedPoint, Points, pointsInSources } from './points.js';
import type { ShapedRun } from './shapedRun.js';
import { SiteTypes, type ToldSite } from './siteTypes.js';
import { globalNodes, namedVariable, type VariableNode } from './variables.js';
import { WriteWatch } from './writeWatch.js';

/** What a specification, and the user, say of the program. */
export interface ShapeQuestion {
  /** Types that nodes have. */
  readonly types: readonly string[];
  /** Those of them whose blocks are arrays. */
  readonly arrays: readonly string[];
  /** What they are called in the program, where that is another name. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly sites: readonly ToldSite[];
  readonly allocators: readonly string[];
  readonly points: readonly AskedPoint[];
  /** Variables of the program that are nodes, too. */
  readonly roots: readonly string[];
}

export interface GatheredHistory {
  readonly operations: Operations;
  readonly lives: readonly NodeLife[];
  readonly points: readonly CPoint[];
  readonly types: DebugTypes;
  readonly process: RecordedProcess;
  /** What the user should know of it. */
  readonly remarks: readonly string[];
}

/** Functions that pass blocks on, on top of each other. */
const MOST_ROUNDS = 4;
/** None, but stores are looked at. */
const SOME_MEMORY: Spots['memory'] = [{ start: 0, end: 0 }];
const NOBODY: StatementRef = { address: 0, thread: 0 };

/** The execution moves. */
export async function gatherHistory(run: ShapedRun, asked: ShapeQuestion, work?: Work): Promise<GatheredHistory> {
  return new Gathering(run, asked, work).gather();
}

class Gathering {
  private readonly process: RecordedProcess;
  private readonly endTime: number;
  private thread: number | undefined;
  private space: number | undefined;
  private code: Omit<Spots, 'memory'> = { passes: new Set(), calls: new Set() };

  constructor(
    private readonly run: ShapedRun,
    private readonly asked: ShapeQuestion,
    private readonly work: Work | undefined,
  ) {
    this.process = chooseProcess(recordedProcesses(run.execution.log), undefined);
    this.endTime = this.process.end?.time ?? run.execution.endTime;
  }

  async gather(): Promise<GatheredHistory> {
    const view = await this.viewAtEnd();
    const modules = [view.modules.main, ...view.modules.all.filter((module) => module !== view.modules.main)].filter((module) => module !== undefined);
    const types = new DebugTypes(modules, this.asked.aliases);
    this.askForTypes(types);
    const inSources = pointsInSources(view, this.run.sources);
    const points = new Points([...this.asked.points, ...inSources], view);
    const allocators = allocatorsOf(view, this.asked.allocators);
    await this.findThread();
    const { blocks, passages } = await this.allocate(view, types, points, allocators);
    const main = view.modules.main;
    const variables = main === undefined ? [] : globalNodes(main, types, this.asked.types);
    const roots = this.asked.roots.map((name) => this.root(name, modules, types));
    const lives = nodesOf([...[...variables.filter((node) => !isPool(node, blocks)), ...roots].map((node) => this.variableMemory(node)), ...blocks]);
    const operations = await this.write(lives);
    const isCrash = this.process.signal !== 0;
    const all = points.times(passages, { time: this.endTime + 1, isCrash }, operations.length, (done) => operations.at(done - 1).time + 1);
    return { operations, lives, points: all, types, process: this.process, remarks: this.remarks(lives) };
  }

  private askForTypes(types: DebugTypes): void {
    const missing = this.asked.types.filter((name) => types.type(name) === undefined);
    if (missing.length > 0) throw new UserError(`the program has no type ${missing.join(', ')} in its debug information: compile it with -g, or say which one is meant with TYPE in the specification`);
  }

  private root(name: string, modules: readonly LoadedModule[], types: DebugTypes): VariableNode {
    const found = namedVariable(modules, name);
    if (found === undefined) throw new UserError(`the program has no variable ${name}, which the specification has as ROOT`);
    const type = types.addVariable(name, found.type);
    return { type, address: found.address, bytes: type.bytes };
  }

  private remarks(lives: readonly NodeLife[]): string[] {
    const found = new Set(lives.map(({ type }) => type.name));
    return this.asked.types.filter((name) => !found.has(name)).map((name) => `no memory of type ${name} was found; --type ${name}=FILE:LINE says where it is allocated`);
  }

  private async viewAtEnd(): Promise<ProgramView> {
    const { execution, modules } = this.run;
    await execution.seek(this.process.end ?? at(execution.endTime), this.work && quietly(this.work));
    const thread = execution.state.threads.find(({ pid }) => pid === this.process.pid) ?? execution.state.threads[0];
    if (thread === undefined) throw new UserError('the program has no thread at its end');
    return new ProgramView(execution.state, thread, modules);
  }

  /** What happens in the memory of the process: that in which its first thread runs first. */
  private isMeant(): (place: SpotPlace, time: number) => boolean {
    const { time: begin } = this.process.begin;
    return ({ thread, space }, time) => {
      if (this.space === undefined && thread === this.thread && time >= begin) this.space = space;
      return space === this.space && time >= begin;
    };
  }

  /** Both passes run the same code: what one has translated serves the other. */
  private async observe(memory: Spots['memory'], listener: ExecutionListener): Promise<void> {
    await this.run.execution.observe({ spots: { memory, ...this.code } }, listener, this.process.begin, at(this.endTime, Infinity), this.work);
  }

  /** Blocks that are of the types; functions that pass blocks on are found on the way, and their callers asked. */
  private async allocate(view: ProgramView, types: DebugTypes, points: Points, allocators: Allocators): Promise<{ blocks: NodeMemory[]; passages: readonly Passage[] }> {
    const sites = new SiteTypes(this.run, view, types, this.asked.types, this.asked.sites);
    for (let round = 1; ; round++) {
      const watch = new BlockWatch(this.isMeant(), allocators, points.functions);
      this.code = { passes: points.passes, calls: new Set([...allocators.keys(), ...points.functions]) };
      await this.observe(SOME_MEMORY, watch);
      const passing = new Set<number>();
      const typed: NodeMemory[] = this.chunkTypes(types).flatMap((type) => watch.blocks.filter(({ isMalloced }) => isMalloced).map((block) => chunkOf(block, type)));
      if (this.asked.types.length === this.chunkTypes(types).length) return { blocks: typed, passages: watch.passages };
      for (const block of watch.blocks) {
        const site = await sites.of(block, this.work && quietly(this.work));
        if (site.kind === 'passed on' && !allocators.has(site.by)) passing.add(site.by);
        if (site.kind === 'type') typed.push(...this.memoryOf(block, site.name, types));
      }
      if (passing.size === 0 || round === MOST_ROUNDS) return { blocks: typed, passages: watch.passages };
      for (const entry of passing) allocators.set(entry, { does: 'pass on' });
    }
  }

  /** Types that are chunks of glibc's heap. */
  private chunkTypes(types: DebugTypes): NodeType[] {
    return this.asked.types.filter((name) => this.asked.aliases.get(name) === CHUNK_TYPE).flatMap((name) => types.type(name) ?? []);
  }

  private memoryOf(block: Block, name: string, types: DebugTypes): NodeMemory[] {
    const type = types.type(name);
    if (type === undefined || (block.bytes !== 0 && block.bytes < type.bytes)) return [];
    const { address, bytes, made, gone, site, thread, goneTo, goneThread } = block;
    return [{ type, address, bytes, made, gone, madeBy: { address: site - 1, thread }, goneBy: { address: goneTo - 1, thread: goneThread }, isArray: this.asked.arrays.includes(name) }];
  }

  private variableMemory({ type, address, bytes }: VariableNode): NodeMemory {
    return { type, address, bytes, made: this.process.begin.time, madeBy: NOBODY, gone: Infinity, goneBy: NOBODY };
  }

  private async write(lives: readonly NodeLife[]): Promise<Operations> {
    const mirror = new MemoryMirror();
    await this.firstContents(lives, mirror);
    const watch = new WriteWatch(this.isMeant(), lives, mirror, () => this.space);
    const memory = lives.map(({ address, bytes }) => ({ start: address, end: address + bytes }));
    if (memory.length > 0) await this.observe(memory, watch);
    watch.comeTo(Infinity);
    return watch.operations;
  }

  private async findThread(): Promise<void> {
    const { execution } = this.run;
    await execution.seek(this.process.begin, this.work && quietly(this.work));
    this.thread = execution.state.threads.find(({ pid }) => pid === this.process.pid)?.id;
  }

  /** What variables have when the program begins. */
  private async firstContents(lives: readonly NodeLife[], mirror: MemoryMirror): Promise<void> {
    const { run: { execution }, thread } = this;
    await execution.seek(this.process.begin, this.work && quietly(this.work));
    if (thread === undefined) return;
    for (const { address, bytes, madeBy } of lives) {
      const content = madeBy === NOBODY ? execution.state.read(thread, address as never, bytes) : null;
      if (content !== null) mirror.write(address, bytes, new DataView(content.buffer, content.byteOffset, content.length), 0);
    }
  }
}

/** Whether parts of a variable are handed out by an allocator: those are the nodes then. */
function isPool({ address, bytes }: VariableNode, blocks: readonly NodeMemory[]): boolean {
  return blocks.some((block) => block.address < address + bytes && address < block.address + Math.max(block.bytes, block.type.bytes));
}
