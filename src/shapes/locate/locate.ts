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
import { argumentsOf, differ, type Arguments } from './pending.js';

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
  private readonly byNode = new Map<NodeId, Set<Pending>>();
  private readonly withPaths = new Set<Pending>();
  private demanding = 0;
  private readonly contributions: Contribution[] = [];
  private examined = 0;
  private readonly affected: AffectedChecks;
  private readonly watch: Watch;

  constructor(private readonly checker: ShapeChecker) {
    const { specification, evaluator, checks } = checker;
    this.affected = new AffectedChecks(specification, evaluator, new Set(checks.flatMap(({ bindings }, index) => (bindings.isLinked ? [] : [index]))));
    this.watch = new Watch(this.byNode, this.withPaths);
  }

  run(history: History, applied: number, inconsistencies: readonly Inconsistency[]): FaultLocation {
    for (const inconsistency of inconsistencies) this.add(inconsistency, this.argumentsNow(inconsistency));
    let index = applied;
    while (this.pending.size > 0 && index > 0) {
      const operation = history.at(--index);
      const touched = this.undo(operation);
      if (touched !== undefined) this.examine(operation, index, touched);
    }
    return { inconsistencies, contributions: this.contributions, undone: applied - index, examined: this.examined };
  }

  private argumentsNow(inconsistency: Inconsistency): Arguments {
    return argumentsOf(this.checker.evaluator, this.checker.checks[inconsistency.constraint.index]!, inconsistency);
  }

  private add(inconsistency: Inconsistency, now: Arguments): void {
    const pending = { inconsistency, arguments: now };
    this.pending.set(inconsistency.key, pending);
    this.list(pending);
  }

  private list(pending: Pending): void {
    for (const node of pending.arguments.nodes) {
      const others = this.byNode.get(node);
      if (others === undefined) this.byNode.set(node, new Set([pending]));
      else others.add(pending);
    }
    if (pending.arguments.paths.length > 0) this.withPaths.add(pending);
    if (pending.arguments.isDemanding) this.demanding++;
  }

  private unlist(pending: Pending): void {
    for (const node of pending.arguments.nodes) {
      const others = this.byNode.get(node);
      others?.delete(pending);
      if (others?.size === 0) this.byNode.delete(node);
    }
    this.withPaths.delete(pending);
    if (pending.arguments.isDemanding) this.demanding--;
  }

  /** Undoes an operation; what it touched, if that can matter to anything that is carried. */
  private undo(operation: Operation): TouchedCells | undefined {
    const { graph } = this.checker;
    if (this.demanding === 0) {
      this.watch.begin();
      graph.undo(operation, this.watch);
      if (!this.watch.seen && !this.pathsMayChange()) return undefined;
      graph.apply(operation);
    }
    const touched = new TouchedCells();
    graph.undo(operation, touched);
    this.affected.forgetAttributes(touched);
    return touched;
  }

  private pathsMayChange(): boolean {
    for (const { arguments: now } of this.withPaths) for (const path of now.paths) for (const node of this.watch.pointers) if (path.mayChange(node)) return true;
    return false;
  }

  private redo(operation: Operation): void {
    const touched = new TouchedCells();
    this.checker.graph.apply(operation, touched);
    this.affected.forgetAttributes(touched);
  }

  private undoAgain(operation: Operation): void {
    const touched = new TouchedCells();
    this.checker.graph.undo(operation, touched);
    this.affected.forgetAttributes(touched);
  }

  /** The graph is that of before the operation. */
  private examine(operation: Operation, index: number, touched: TouchedCells): void {
    this.examined++;
    const contributed: { pending: Pending; before: Arguments }[] = [];
    for (const pending of this.concerned(touched)) {
      const before = this.argumentsNow(pending.inconsistency);
      if (differ(pending.arguments, before)) contributed.push({ pending, before });
      else pending.arguments = before;
    }
    if (contributed.length === 0) return;
    this.contributions.push({
      index, operation,
      inconsistencies: contributed.map(({ pending }) => pending.inconsistency),
      introduced: contributed.filter(({ before }) => before.holds).map(({ pending }) => pending.inconsistency),
    });
    const related = this.related(operation, touched);
    for (const { pending, before } of contributed) {
      this.unlist(pending);
      if (before.holds) this.pending.delete(pending.inconsistency.key);
      else {
        pending.arguments = before;
        this.list(pending);
      }
    }
    for (const { inconsistency, before } of related) if (!this.pending.has(inconsistency.key)) this.add(inconsistency, before);
  }

  private concerned(touched: TouchedCells): Iterable<Pending> {
    const found = new Set<Pending>(this.withPaths);
    for (const nodes of [touched.fields.keys(), touched.degrees, touched.bornOrDied]) for (const node of nodes) for (const pending of this.byNode.get(node) ?? []) found.add(pending);
    if (this.demanding > 0) for (const pending of this.pending.values()) if (pending.arguments.isDemanding) found.add(pending);
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
    const before = [...found.values()].map((inconsistency) => ({ inconsistency, before: this.argumentsNow(inconsistency) }));
    if (before.length === 0) return before;
    this.redo(operation);
    const changed = before.filter((each) => differ(each.before, this.argumentsNow(each.inconsistency)));
    this.undoAgain(operation);
    return changed;
  }
}

/** Sees whether an operation touches a node that something carried depends on, and notes little else. */
class Watch implements Touched {
  seen = false;
  /** Nodes whose pointers changed, if paths are asked for. */
  readonly pointers: NodeId[] = [];

  constructor(
    private readonly byNode: ReadonlyMap<NodeId, unknown>,
    private readonly withPaths: ReadonlySet<unknown>,
  ) {}

  begin(): void {
    this.seen = false;
    this.pointers.length = 0;
  }

  field(node: NodeId): void {
    if (this.byNode.has(node)) this.seen = true;
    else if (this.withPaths.size > 0) this.pointers.push(node);
  }

  degree(node: NodeId): void {
    if (this.byNode.has(node)) this.seen = true;
    else if (this.withPaths.size > 0) this.pointers.push(node);
  }

  born(node: NodeId): void {
    this.degree(node);
  }

  died(node: NodeId): void {
    this.degree(node);
  }
}
