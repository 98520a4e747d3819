/**
 * Evaluates bound conditions over a memory graph. What a check reads are its *arguments* (definitions 2 and 3 of the
 * paper): fields, where pointers lead, degrees, edges, paths, attributes. They are told to `record` when it is there.
 *
 * A binding is an array of nodes, by the numbers of a constraint's variables; `index` is that of its range.
 */
import { assertNever } from '../../base/assert.js';
import type { FieldValue, NodeId } from '../model.js';
import { AttributeValues } from './attributeValues.js';
import { degree, hasEdge } from './edges.js';
import { callKnown, textOfField, textOfNode } from './texts.js';
import { withoutTag } from './graphRules.js';
import { NOWHERE, WILD, type MemoryGraph } from './memoryGraph.js';
import { Paths } from './paths.js';
import type { BoundSpecification, EdgeFilter, FieldChoice, Formula, Term, Vertex } from './terms.js';
import { absolute, BROKEN, calculate, compare, FALSE, isMissing, NEEDED, NEEDS, negative, THROUGH_NULL, TRUE, UNKNOWN, type Truth, type Value } from './values.js';

/** A node that was asked for through NULL: what is compared with it is not known. */
const BEYOND_NULL = -3;

export type ArgumentValue = FieldValue | string | boolean;

interface RecordedPath {
  readonly to: NodeId;
  readonly through: EdgeFilter | undefined;
  /** An edge leads from its end to its start. */
  readonly isCycle?: boolean;
}

/** An argument by a name that no other one has, its value, and the node that it was read at; of a path also its end. */
type RecordArgument = (key: string, value: ArgumentValue, node: NodeId, path?: RecordedPath) => void;

export class Evaluator {
  readonly paths: Paths;
  readonly attributes: AttributeValues;
  record: RecordArgument | undefined;
  private binding: readonly NodeId[] = [];
  private index = 0;

  constructor(
    readonly graph: MemoryGraph,
    readonly specification: BoundSpecification,
  ) {
    this.paths = new Paths(graph);
    this.attributes = new AttributeValues(specification.attributes, graph, this);
  }

  truth(formula: Formula, binding: readonly NodeId[], index: number): Truth {
    const outerBinding = this.binding;
    const outerIndex = this.index;
    this.binding = binding;
    this.index = index;
    const truth = this.formula(formula);
    this.binding = outerBinding;
    this.index = outerIndex;
    return truth;
  }

  value(term: Term, binding: readonly NodeId[], index = 0): Value {
    const outerBinding = this.binding;
    const outerIndex = this.index;
    this.binding = binding;
    this.index = index;
    const value = this.term(term);
    this.binding = outerBinding;
    this.index = outerIndex;
    return value;
  }

  /** The node that a vertex is under a binding, or a negative number. */
  node(vertex: Vertex, binding: readonly NodeId[], index: number): NodeId {
    const outerBinding = this.binding;
    const outerIndex = this.index;
    this.binding = binding;
    this.index = index;
    const node = this.vertex(vertex);
    this.binding = outerBinding;
    this.index = outerIndex;
    return node;
  }

  private formula(formula: Formula): Truth {
    switch (formula.kind) {
      case 'constant':
        return formula.value ? TRUE : FALSE;
      case 'compare':
        return compare(formula.operator, this.term(formula.left), this.term(formula.right));
      case 'same':
        return this.same(formula);
      case 'edge':
      case 'path':
        return this.connected(formula);
      case 'and': {
        const left = this.formula(formula.left);
        if (left === FALSE) return FALSE;
        const right = this.formula(formula.right);
        return right === FALSE ? FALSE : Math.max(left, right) as Truth;
      }
      case 'or': {
        const left = this.formula(formula.left);
        if (left === TRUE) return TRUE;
        const right = this.formula(formula.right);
        if (right === TRUE) return TRUE;
        return left === FALSE ? right : right === FALSE ? left : Math.max(left, right) as Truth;
      }
      case 'not': {
        const truth = this.formula(formula.of);
        return truth === TRUE ? FALSE : truth === FALSE ? TRUE : truth;
      }
      default:
        return assertNever(formula);
    }
  }

  private same(formula: Formula & { kind: 'same' }): Truth {
    const left = this.vertex(formula.left);
    const right = this.vertex(formula.right);
    if (left === WILD || right === WILD) return FALSE;
    if (left === BEYOND_NULL || right === BEYOND_NULL) return UNKNOWN;
    return (left === right) !== formula.negated ? TRUE : FALSE;
  }

  private connected({ kind, from, to, through, negated }: Formula & { kind: 'edge' | 'path' }): Truth {
    const source = this.vertex(from);
    const target = this.vertex(to);
    if (source === WILD || target === WILD) return FALSE;
    if (source < 0 || target < 0) return UNKNOWN;
    const found = kind === 'edge' ? hasEdge(this.graph, source, target, through) : this.paths.leads(source, target, through);
    this.record?.(`${kind} ${source} ${target}${keyOf(through)}`, found, source, kind === 'path' ? { to: target, through } : undefined);
    return found !== negated ? TRUE : FALSE;
  }

  private vertex(vertex: Vertex): NodeId {
    if (vertex.kind === 'variable') return this.binding[vertex.variable]!;
    if (vertex.kind === 'at') return this.located(vertex);
    const base = this.vertex(vertex.vertex);
    if (base < 0) return base === NOWHERE ? BEYOND_NULL : base;
    const field = this.field(base, vertex.field);
    if (field < 0) return field === -1 ? BEYOND_NULL : WILD;
    const target = vertex.kind === 'pointee' ? this.graph.target(base, field) : this.container(base, field, vertex.offset);
    const node = target >= 0 && vertex.type !== undefined && this.graph.typeName(target) !== vertex.type ? WILD : target;
    this.record?.(`to ${base} ${field}`, node, base);
    return node;
  }

  private located({ address, type }: Vertex & { kind: 'at' }): NodeId {
    const value = this.term(address);
    if (isMissing(value)) return value === BROKEN ? WILD : BEYOND_NULL;
    const node = typeof value === 'number' ? this.graph.nodeAt(value) : WILD;
    const found = node >= 0 && this.graph.typeName(node) === type && this.graph.addressOf(node) === value ? node : WILD;
    this.record?.(`at ${String(value)}`, found, found);
    return found;
  }

  private container(base: NodeId, field: number, offset: number): NodeId {
    const address = withoutTag(this.graph.value(base, field), this.graph.layout(base).masks.get(field));
    if (address === 0) return NOWHERE;
    return address === undefined ? WILD : this.graph.nodeAt(address - offset);
  }

  /** The number of a field; -1 if the node ends before it, -2 if its type has none. */
  private field(node: NodeId, choice: FieldChoice): number {
    if (choice.kind === 'named') return choice.byType.get(this.graph.typeName(node)) ?? -2;
    let field: number;
    if (choice.kind === 'fixed') field = choice.index;
    else {
      const index = this.term(choice.index);
      if (isMissing(index)) return index === BROKEN ? -2 : -1;
      field = choice.base + choice.stride * Number(index);
      if (field < choice.first || field > choice.last) return -1;
    }
    return this.graph.has(node, field) ? field : -1;
  }

  private term(term: Term): Value {
    switch (term.kind) {
      case 'value':
        return term.value;
      case 'text':
        return term.text;
      case 'index':
        return this.index;
      case 'field':
        return this.read(term);
      case 'address': {
        const node = this.vertex(term.vertex);
        if (node === NOWHERE) return term.offset;
        return node < 0 ? missingNode(node) : this.graph.addressOf(node) + term.offset;
      }
      case 'degree': {
        const node = this.vertex(term.vertex);
        if (node < 0) return missingNode(node);
        const value = degree(this.graph, node, term.incoming, term.through);
        this.record?.(`${term.incoming ? 'in' : 'out'} ${node}${keyOf(term.through)}`, value, node);
        return value;
      }
      case 'attribute': {
        const node = this.vertex(term.vertex);
        if (node < 0 && node !== NOWHERE) return missingNode(node);
        const value = this.attributes.value(term.attribute, node);
        if (node >= 0) this.record?.(`attribute ${term.attribute} ${node}`, typeof value === 'symbol' ? String(value) : value, node);
        return value;
      }
      case 'arithmetic':
        return calculate(term.operator, this.term(term.left), this.term(term.right));
      case 'negative':
        return negative(this.term(term.of));
      case 'absolute':
        return absolute(this.term(term.of));
      case 'choose': {
        const test = this.formula(term.test);
        if (test === TRUE) return this.term(term.yes);
        if (test === FALSE) return this.term(term.no);
        return this.undecided(term, test);
      }
      case 'call':
        return this.call(term.name, term.of);
      default:
        return assertNever(term);
    }
  }

  /** The test of a choice asks something of NULL: it does not hold, and the other value is meant. */
  private undecided(term: Term & { kind: 'choose' }, test: Truth): Value {
    return test === NEEDED ? NEEDS : this.term(term.no);
  }

  private read({ vertex, field: choice, bare }: Term & { kind: 'field' }): Value {
    const node = this.vertex(vertex);
    if (node < 0) return missingNode(node);
    const field = this.field(node, choice);
    if (field < 0) return field === -1 ? THROUGH_NULL : BROKEN;
    const value = this.graph.value(node, field);
    this.record?.(`field ${node} ${field}`, value, node);
    const shape = this.graph.layout(node).fieldOf(field);
    if (shape?.kind === 'text') return textOfField(value, shape.bytes);
    if (!bare) return value;
    return withoutTag(value, this.graph.layout(node).masks.get(field)) ?? value;
  }

  private call(name: string, terms: readonly Term[]): Value {
    const values: Value[] = [];
    for (const term of terms) {
      const value = this.term(term);
      if (isMissing(value)) return value;
      values.push(this.textBehind(term) ?? value);
    }
    const known = callKnown(name, values);
    if (known !== undefined) return known;
    const result = this.specification.call?.(name, values.map((value) => (typeof value === 'number' || typeof value === 'bigint' ? value : 0)));
    return result ?? BROKEN;
  }

  /** The text that a pointer leads to, if a node of bytes is there. */
  private textBehind(term: Term): string | undefined {
    if (term.kind !== 'field') return undefined;
    const node = this.vertex({ kind: 'pointee', vertex: term.vertex, field: term.field });
    const text = node < 0 ? undefined : textOfNode(this.graph, node);
    if (text !== undefined) this.record?.(`text ${node}`, text, node);
    return text;
  }
}

function missingNode(node: NodeId): Value {
  return node === WILD ? BROKEN : THROUGH_NULL;
}

const filterKeys = new WeakMap<object, string>();

/** Filters are few, and each connection has its own. */
function keyOf(through: ReadonlyMap<string, unknown> | undefined): string {
  if (through === undefined) return '';
  let key = filterKeys.get(through);
  if (key === undefined) filterKeys.set(through, (key = ` ${JSON.stringify([...through].map(([type, fields]) => [type, fields === undefined ? [] : [...(fields as Set<number>)]]))}`));
  return key;
}
