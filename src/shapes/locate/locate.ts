/**
 * Algorithm 1 of the paper: from the inconsistencies at a C-point back through the history, to the operations that
 * contributed to them.
 *
 * An operation *contributed to* an inconsistency if it changed an argument of its check. An inconsistency of before the
 * operation is *related* to it if the operation changed an argument of its check, too; it is carried on backward. One
 * that is not there before the operation is done with. The search ends when nothing is left.
 *
 * What is unlike the paper's text is only how: most operations are undone without any check, as nothing that is carried
 * depends on what they touch (its modification prediction), and of the inconsistencies before an operation only those
 * are looked for that it can have changed. `naive.ts`, beside the tests, does it to the letter.
 */
import type { Inconsistency } from '../checking/checks.js';
import type { Touched } from '../checking/memoryGraph.js';
import type { ShapeChecker } from '../checking/shapeChecker.js';
import { TouchedCells } from '../checking/touchedCells.js';
import { AffectedChecks } from '../checking/affected.js';
import type { History, NodeId, Operation } from '../model.js';
import type { PointerWatch, SharedWatches } from './pathWatch.js';
import { argumentsOf, differ, fieldCell, nodeCell, wholeCell, type Arguments, type Cell } from './pending.js';

export interface Contribution {
  /** In the history. */
  readonly index: number;
  readonly operation: Operation;
  /** What it contributed to, among what was carried. */
  readonly inconsistencies: readonly Inconsistency[];
  /** Those of them that were not there before it. */
  readonly introduced: readonly Inconsistency[];
}

export interface FaultLocation {
  /** At the C-point. */
  readonly inconsistencies: readonly Inconsistency[];
  /** The last first. */
  readonly contributions: readonly Contribution[];
  /** How many operations were undone, and for how many of them checks were made. */
  readonly undone: number;
  readonly examined: number;
}

/**
 * The checker's graph is that of the C-point: the first `applied` operations of the history. Afterwards it is that of
 * where the search ended, and the checker must not be asked any more.
 */
export function locateFaults(checker: ShapeChecker, history: History, applied: number, types: readonly string[] = []): FaultLocation {
  return new Search(checker).run(history, applied, [...checker.inconsistencies(types).values()]);
}

interface Pending {
  readonly inconsistency: Inconsistency;
  arguments: Arguments;
}

class Search {
  private readonly pending = new Map<string, Pending>();
  private readonly byCell = new Map<Cell, Set<Pending>>();
  private readonly byWatch = new Map<PointerWatch, Set<Pending>>();
  private readonly demanding = new Set<Pending>();
  private readonly contributions: Contribution[] = [];
  private examined = 0;
  private readonly affected: AffectedChecks;

  constructor(private readonly checker: ShapeChecker) {
    const { specification, evaluator, checks } = checker;
    this.affected = new AffectedChecks(specification, evaluator, new Set(checks.flatMap(({ bindings }, index) => (bindings.isLinked ? [] : [index]))));
  }

  run(history: History, applied: number, inconsistencies: readonly Inconsistency[]): FaultLocation {
    this.addAll(inconsistencies.map((inconsistency) => ({ inconsistency, before: this.argumentsNow(inconsistency, this.shared) })));
    let index = applied;
    while (this.pending.size > 0 && index > 0) {
      const operation = history.at(--index);
      const touched = this.undo(operation);
      if (touched !== undefined) this.examine(operation, index, touched);
    }
    return { inconsistencies, contributions: this.contributions, undone: applied - index, examined: this.examined };
  }

  /** What an operation touched that was undone, if that can matter to anything that is carried. */
  private undo(operation: Operation): TouchedCells | undefined {
    const { graph, evaluator } = this.checker;
    if (this.demanding.size > 0) {
      const { forgotten } = evaluator.attributes;
      const touched = this.move(operation, 'undo');
      const matters = evaluator.attributes.forgotten !== forgotten || this.demandsEverything() || this.concerned(touched).size > 0;
      return matters ? touched : undefined;
    }
    const watch = new Watch(this.byCell, this.byWatch.size > 0);
    graph.undo(operation, watch);
    if (!watch.seen && !this.pathsMayChange(watch)) return undefined;
    graph.apply(operation);
    return this.move(operation, 'undo');
  }

  private demandsEverything(): boolean {
    for (const pending of this.demanding) if (pending.arguments.demands === 'everything') return true;
    return false;
  }

  /** Those of cycles in the graph of now; they are made anew when it has changed. */
  private shared: SharedWatches = new Map();

  private argumentsNow(inconsistency: Inconsistency, shared?: SharedWatches): Arguments {
    return argumentsOf(this.checker.evaluator, this.checker.checks[inconsistency.constraint.index]!, inconsistency, shared);
  }

  private addAll(found: readonly { inconsistency: Inconsistency; before: Arguments }[]): void {
    for (const { inconsistency, before } of found) {
      if (this.pending.has(inconsistency.key)) continue;
      const pending = { inconsistency, arguments: before };
      this.pending.set(inconsistency.key, pending);
      this.list(pending);
    }
  }

  private list(pending: Pending): void {
    for (const cell of pending.arguments.cells) addTo(this.byCell, cell, pending);
    for (const watch of pending.arguments.paths) addTo(this.byWatch, watch, pending);
    if (pending.arguments.demands !== 'nothing') this.demanding.add(pending);
  }

  private unlist(pending: Pending): void {
    for (const cell of pending.arguments.cells) removeFrom(this.byCell, cell, pending);
    for (const watch of pending.arguments.paths) removeFrom(this.byWatch, watch, pending);
    this.demanding.delete(pending);
  }

  private pathsMayChange({ pointers }: Watch): boolean {
    for (const watch of this.byWatch.keys()) for (const node of pointers) if (watch.mayChange(node)) return true;
    return false;
  }

  /** Does or undoes an operation, and forgets the attributes that it changes. */
  private move(operation: Operation, way: 'apply' | 'undo'): TouchedCells {
    const touched = new TouchedCells();
    this.checker.graph[way](operation, touched);
    this.affected.forgetAttributes(touched);
    return touched;
  }

  /** The graph is that of before the operation. */
  private examine(operation: Operation, index: number, touched: TouchedCells): void {
    this.examined++;
    this.shared = new Map();
    const contributed: { pending: Pending; before: Arguments }[] = [];
    for (const pending of new Set([...this.demanding, ...this.concerned(touched)])) {
      const before = this.argumentsNow(pending.inconsistency, this.shared);
      if (differ(pending.arguments, before)) contributed.push({ pending, before });
      else this.replace(pending, before);
    }
    if (contributed.length === 0) return;
    this.contributions.push({
      index, operation,
      inconsistencies: contributed.map(({ pending }) => pending.inconsistency),
      introduced: contributed.filter(({ before }) => before.holds).map(({ pending }) => pending.inconsistency),
    });
    const related = this.related(operation, touched);
    for (const { pending, before } of contributed) {
      if (!before.holds) {
        this.replace(pending, before);
        continue;
      }
      this.unlist(pending);
      this.pending.delete(pending.inconsistency.key);
    }
    this.addAll(related);
  }

  private replace(pending: Pending, now: Arguments): void {
    this.unlist(pending);
    pending.arguments = now;
    this.list(pending);
  }

  /** Those that depend on something that was touched, but for what they demand more. */
  private concerned(touched: TouchedCells): Set<Pending> {
    const found = new Set<Pending>();
    const add = (pendings: Iterable<Pending> | undefined) => {
      for (const pending of pendings ?? []) found.add(pending);
    };
    const pointers = new Set<NodeId>([...touched.degrees, ...touched.bornOrDied]);
    for (const [node, fields] of touched.fields) {
      add(this.byCell.get(wholeCell(node)));
      for (const field of fields) add(this.byCell.get(fieldCell(node, field)));
      pointers.add(node);
    }
    for (const node of pointers) add(this.byCell.get(nodeCell(node)));
    for (const [watch, pendings] of this.byWatch) if ([...pointers].some((node) => watch.mayChange(node))) add(pendings);
    return found;
  }

  /** Inconsistencies of before the operation that it changed an argument of. */
  private related(operation: Operation, touched: TouchedCells): { inconsistency: Inconsistency; before: Arguments }[] {
    const found = new Map<string, Inconsistency>();
    const note = (inconsistency: Inconsistency) => found.set(inconsistency.key, inconsistency);
    const { starts, whole } = this.affected.find(touched);
    for (const constraint of whole) this.checker.checks[constraint]!.forEachInconsistency(note);
    for (const [constraint, variables] of starts) {
      variables.forEach((nodes, variable) => {
        for (const node of nodes) this.checker.checks[constraint]!.forEachInconsistency(note, { variable, node });
      });
    }
    const before = [...found.values()].map((inconsistency) => ({ inconsistency, before: this.argumentsNow(inconsistency, this.shared) }));
    if (before.length === 0) return before;
    this.move(operation, 'apply');
    const after: SharedWatches = new Map();
    const changed = before.filter((each) => differ(each.before, this.argumentsNow(each.inconsistency, after)));
    this.move(operation, 'undo');
    return changed;
  }
}

function addTo<K>(map: Map<K, Set<Pending>>, key: K, pending: Pending): void {
  const others = map.get(key);
  if (others === undefined) map.set(key, new Set([pending]));
  else others.add(pending);
}

function removeFrom<K>(map: Map<K, Set<Pending>>, key: K, pending: Pending): void {
  const others = map.get(key);
  others?.delete(pending);
  if (others?.size === 0) map.delete(key);
}

/** Sees whether an operation touches something that is depended on, and notes little else. */
class Watch implements Touched {
  seen = false;
  /** Nodes whose pointers may have changed, if paths are asked for. */
  readonly pointers: NodeId[] = [];

  constructor(
    private readonly byCell: ReadonlyMap<Cell, unknown>,
    private readonly notesPointers: boolean,
  ) {}

  field(node: NodeId, field: number): void {
    this.seen ||= this.byCell.has(fieldCell(node, field)) || this.byCell.has(wholeCell(node));
  }

  degree(node: NodeId): void {
    this.seen ||= this.byCell.has(nodeCell(node));
    if (this.notesPointers) this.pointers.push(node);
  }

  born(node: NodeId): void {
    this.degree(node);
  }

  died(node: NodeId): void {
    this.degree(node);
  }
}
