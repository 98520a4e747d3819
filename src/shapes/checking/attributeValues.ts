/**
 * Values of user-defined attributes, each computed once and kept until something that it depends on changes. A rule
 * asks for the attributes of other nodes, those for others: without recursion, as a list is as deep as it is long. A
 * node whose value depends on itself has none (`BROKEN`): the structure was to be acyclic.
 */
import type { NodeId } from '../model.js';
import type { MemoryGraph } from './memoryGraph.js';
import type { BoundAttribute, Formula, Term } from './terms.js';
import { BROKEN, NEEDS, NEEDED, TRUE, type Truth, type Value } from './values.js';

/** What evaluates rules; what a rule reads is no argument of the check that asks for the attribute. */
interface RuleEvaluator {
  record: unknown;
  truth(formula: Formula, binding: readonly NodeId[], index: number): Truth;
  value(term: Term, binding: readonly NodeId[]): Value;
}

export class AttributeValues {
  private readonly known: Map<NodeId, Value>[];
  private readonly open = new Set<number>();
  private wanted: { attribute: number; node: NodeId } | undefined;
  private working = false;
  /** The rule that is being evaluated has asked for a value that depends on itself. */
  private readsBroken = false;

  constructor(
    private readonly attributes: readonly BoundAttribute[],
    private readonly graph: MemoryGraph,
    private readonly evaluator: RuleEvaluator,
  ) {
    this.known = attributes.map(() => new Map<NodeId, Value>());
  }

  /** Of a node, or of NULL, which is negative. */
  value(attribute: number, node: NodeId): Value {
    const rule = this.attributes[attribute]!;
    if (node < 0) return rule.ofNull;
    if (this.graph.typeName(node) !== rule.type) return BROKEN;
    const known = this.known[attribute]!.get(node) ?? (this.open.has(this.key(attribute, node)) ? BROKEN : undefined);
    if (known === BROKEN) this.readsBroken = true;
    if (known !== undefined) return known;
    if (!this.working) return this.compute(attribute, node);
    this.wanted = { attribute, node };
    return NEEDS;
  }

  /** How often a value has been forgotten. */
  forgotten = 0;

  forget(attribute: number, node: NodeId): boolean {
    const known = this.known[attribute]!.delete(node);
    if (known) this.forgotten++;
    return known;
  }

  forgetAll(): void {
    for (const values of this.known) values.clear();
  }

  private key(attribute: number, node: NodeId): number {
    return node * this.attributes.length + attribute;
  }

  private compute(attribute: number, node: NodeId): Value {
    const { record } = this.evaluator;
    this.evaluator.record = undefined;
    this.working = true;
    const waiting = [{ attribute, node }];
    this.open.add(this.key(attribute, node));
    while (waiting.length > 0) {
      const top = waiting.at(-1)!;
      this.readsBroken = false;
      const evaluated = this.evaluate(this.attributes[top.attribute]!, top.node);
      // Whatever else the rule made of it: otherwise it would matter at which node of a cycle one begins.
      const value = this.readsBroken && evaluated !== NEEDS ? BROKEN : evaluated;
      if (value === NEEDS) {
        this.open.add(this.key(this.wanted!.attribute, this.wanted!.node));
        waiting.push(this.wanted!);
        continue;
      }
      this.known[top.attribute]!.set(top.node, value);
      this.open.delete(this.key(top.attribute, top.node));
      waiting.pop();
    }
    this.working = false;
    this.evaluator.record = record;
    return this.known[attribute]!.get(node)!;
  }

  private evaluate(rule: BoundAttribute, node: NodeId): Value {
    const binding = [node];
    if (rule.guard === undefined) return this.evaluator.value(rule.otherwise, binding);
    const truth = this.evaluator.truth(rule.guard, binding, 0);
    if (truth === NEEDED) return NEEDS;
    return this.evaluator.value(truth === TRUE ? rule.terminal! : rule.otherwise, binding);
  }
}
