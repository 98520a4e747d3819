/** Control-flow graphs of functions, made when they are asked for and kept. */
import { FLOW, FlowReader } from '../x86/flowReader.js';
import { Translator } from '../x86/translate.js';
import type { CodeSource, CodeStretch } from './codeSource.js';
import { Exploration } from './exploration.js';
import { FunctionBorder } from './functionBorder.js';
import { type FunctionGraph, makeGraph } from './functionGraph.js';
import { JumpTables } from './jumpTables.js';
import { NodeMeanings } from './nodeMeaning.js';
import { Returning } from './returning.js';

/** What was seen of a function while it ran. */
interface Learned {
  /** Where indirect jumps went. */
  readonly targets: Map<number, Set<number>>;
  /** Places that control came to otherwise, such as handlers of exceptions. */
  readonly landings: Set<number>;
}

/** Tables lead to code with more tables, but seldom further. */
const MOST_ROUNDS = 16;

export class FunctionGraphs {
  private readonly reader: FlowReader;
  private readonly returning: Returning;
  private translator: Translator | undefined;
  private readonly graphs = new Map<number, FunctionGraph>();
  private readonly borders = new Map<number, FunctionBorder>();
  private readonly learned = new Map<number, Learned>();

  constructor(private readonly code: CodeSource) {
    this.reader = new FlowReader((address, length) => code.fetch(address, length));
    this.returning = new Returning(code, this.reader);
  }

  /** Of the function entered at the address, whether or not anything is known of it. */
  graphOf(entry: number): FunctionGraph {
    let graph = this.graphs.get(entry);
    if (graph === undefined) this.graphs.set(entry, (graph = this.make(entry)));
    return graph;
  }

  /**
   * An indirect jump at `jump` in that function was seen to go to `target`; or control came there in another way, such
   * as an exception. True if the graph did not know that: then it is made anew.
   */
  learn(entry: number, jump: number, target: number): boolean {
    const from = this.graphOf(entry).nodeAt(jump);
    const to = this.graphOf(entry).nodeAt(target);
    if (from !== undefined && to !== undefined && to.start === target && from.last === jump && from.successors.includes(to.index)) return false;
    const { targets, landings } = this.learnedOf(entry);
    const isJump = from !== undefined && from.last === jump && this.reader.read(jump) === FLOW.indirectJump;
    if (this.borders.get(entry)?.takesIn(target) !== true || (!isJump && to?.start === target)) return false;
    if (isJump) targets.set(jump, (targets.get(jump) ?? new Set()).add(target));
    else landings.add(target);
    this.graphs.set(entry, this.make(entry));
    return true;
  }

  private learnedOf(entry: number): Learned {
    let known = this.learned.get(entry);
    if (known === undefined) this.learned.set(entry, (known = { targets: new Map(), landings: new Set() }));
    return known;
  }

  private make(entry: number): FunctionGraph {
    const border = this.borders.get(entry) ?? new FunctionBorder(this.code, this.reader, entry);
    this.borders.set(entry, border);
    const exploration = new Exploration(border, this.reader, this.returning);
    exploration.follow(entry);
    const learned = this.learned.get(entry);
    for (const landing of learned?.landings ?? []) exploration.follow(landing);
    // Handlers may be in parts with handlers of their own.
    for (let done = 0; done < border.ranges.length; done++) {
      const handlers = this.code.handlersOf?.((border.ranges[done] as CodeStretch).start) ?? [];
      for (const handler of handlers) if (border.takesIn(handler)) exploration.follow(handler);
    }
    this.resolve(entry, border, exploration, learned);
    return makeGraph(entry, border.known?.entry === entry ? border.known.name : undefined, exploration);
  }

  /** Indirect jumps, until nothing new is found. */
  private resolve(entry: number, border: FunctionBorder, exploration: Exploration, learned: Learned | undefined): void {
    if (exploration.indirectJumps.length === 0) return;
    this.translator ??= new Translator((address, length) => this.code.fetch(address, length));
    const tables = new JumpTables(this.code, border, this.reader, new NodeMeanings(this.translator));
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const jumps = [...exploration.indirectJumps];
      const found = tables.find(exploration.stretches(entry));
      let isNew = false;
      for (const jump of jumps) {
        const targets = new Set([...(found.get(jump) ?? []), ...(learned?.targets.get(jump) ?? [])]);
        const before = exploration.targetsOf(jump);
        if (targets.size === before.length && before.every((target) => targets.has(target))) continue;
        isNew = true;
        exploration.setTargets(jump, [...targets], targets.size === 0);
      }
      if (!isNew && exploration.indirectJumps.length === jumps.length) return;
    }
  }
}
