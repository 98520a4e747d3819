/**
 * How large a value can be where a node begins: by what it is made of (a byte, masked bits, an entry of a table), and
 * by the comparisons that control went through on its way there. All ways count; what is not known is Infinity.
 */
import type { CodeSource } from './codeSource.js';
import { asSum, type Expression, withoutExtension, withoutWidth } from './expressions.js';
import type { Constraint, NodeFlow } from './nodeFlow.js';

/** Nodes and expressions that are looked at for one question. */
const MOST_STEPS = 500;
/** A table of numbers is not larger. */
const MOST_ENTRIES = 4096;

export class ValueBounds {
  private readonly known = new Map<string, number>();
  private steps = 0;

  constructor(
    private readonly flow: NodeFlow,
    private readonly code: CodeSource,
  ) {}

  /** The largest value, unsigned, of an expression where a node begins. */
  largest(expression: Expression, node: number): number {
    this.steps = 0;
    return this.at(expression, node);
  }

  /** `facts`: what is known to hold on the way that is looked at, in terms of what there is where the node begins. */
  private at(expression: Expression, node: number, facts: readonly Constraint[] = []): number {
    const bare = withoutExtension(expression);
    if (bare.op === 'const') return bare.value >= 0 ? bare.value : Infinity;
    if (bare.op === 'unknown' || ++this.steps > MOST_STEPS) return Infinity;
    const limited = Math.min(Infinity, ...facts.map((fact) => limit(bare, fact)));
    if (limited < Infinity) return limited;
    const key = `${node} ${bare.id} ${facts.map(({ condition, holds }) => `${condition.id}${holds ? '+' : '-'}`).join()}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    // A way that comes back here adds nothing to what came in by the others.
    this.known.set(key, -1);
    const bound = Math.min(this.byItself(bare, node, facts), this.byArrivals(bare, node, facts));
    this.known.set(key, bound);
    return bound;
  }

  private byArrivals(expression: Expression, node: number, facts: readonly Constraint[]): number {
    const { flow } = this;
    if (flow.isEntry(node)) return Infinity;
    // A condition on flags that were set further back becomes clear there.
    const open = facts.filter(({ condition }) => condition.op === 'cc.cond');
    let bound = -1;
    for (const { from, constraint } of flow.arrivalsAt(node)) {
      const older = open.map(({ condition, holds }) => ({ condition: flow.before(condition, from), holds }));
      const known = constraint === undefined ? older : [constraint, ...older];
      bound = Math.max(bound, this.at(flow.before(expression, from), from, known));
      if (bound === Infinity) return Infinity;
    }
    return bound < 0 ? Infinity : bound;
  }

  private byItself({ op, args, value }: Expression, node: number, facts: readonly Constraint[]): number {
    const [a, b] = args as [Expression, Expression];
    const part = (one: Expression): number => this.at(one, node, facts);
    const constant = b?.op === 'const' ? b.value : undefined;
    switch (op) {
      case 'load8_u': return this.loaded(a, 1, part);
      case 'load16_u': return this.loaded(a, 2, part);
      case 'i32.and':
      case 'i64.and': return constant !== undefined && constant >= 0 ? Math.min(constant, nonNegative(part(a))) : Infinity;
      case 'i32.shr_u':
      case 'i64.shr_u': {
        const whole = Math.min(part(a), op === 'i32.shr_u' ? 0xffff_ffff : Infinity);
        return constant === undefined || whole < 0 ? Infinity : Math.floor(whole / 2 ** constant);
      }
      case 'i32.add':
      case 'i64.add': return constant !== undefined && constant >= 0 ? nonNegative(part(a)) + constant : Infinity;
      case 'i32.wrap_i64': {
        const whole = part(a);
        return whole >= 0 && whole <= 0xffff_ffff ? whole : Infinity;
      }
      case 'i64.extend_i32_s': {
        const narrow = part(a);
        return narrow >= 0 && narrow <= 0x7fff_ffff ? narrow : Infinity;
      }
      case 'i32.select':
      case 'i64.select': return Math.max(nonNegative(part(a)), nonNegative(part(b)));
      default: return /\.(eqz|eq|ne|[lg][te]_[su])$/.test(op) || (op === 'cc.cond' && value >= 0) ? 1 : Infinity;
    }
  }

  /** Of an entry of a table at a fixed place: the largest there is. */
  private loaded(address: Expression, bytes: 1 | 2, largest: (index: Expression) => number): number {
    const any = bytes === 1 ? 0xff : 0xffff;
    const { constant, terms } = asSum(address);
    const [index] = terms;
    if (index === undefined || terms.length > 1 || index.factor !== bytes || constant <= 0) return any;
    const last = largest(index.of);
    if (last < 0 || last >= MOST_ENTRIES) return any;
    const table = this.code.fetch(constant, (last + 1) * bytes);
    if (table.length < (last + 1) * bytes) return any;
    return bytes === 1 ? Math.max(...table) : any;
  }
}

function nonNegative(bound: number): number {
  return bound < 0 ? Infinity : bound;
}

/** How large a value can be if a condition holds, or does not. */
function limit(expression: Expression, constraint: Constraint): number {
  let { condition, holds } = constraint;
  while (/^i(32|64)\.eqz$/.test(condition.op) && isComparison(condition.args[0] as Expression)) {
    condition = condition.args[0] as Expression;
    holds = !holds;
  }
  const [a, b] = condition.args as [Expression, Expression];
  const name = condition.op.replace(/^i(32|64)\./, '');
  const bare = withoutWidth(expression);
  const relation = holds ? name : OPPOSITE[name];
  const unsigned = (value: number): number => (condition.op.startsWith('i32') ? value >>> 0 : value);
  if (b?.op === 'const' && withoutWidth(a) === bare) return upTo(relation, unsigned(b.value));
  if (b !== undefined && a.op === 'const' && withoutWidth(b) === bare) return upTo(MIRRORED[relation ?? ''], unsigned(a.value));
  return name === 'eqz' && holds && a !== undefined && withoutWidth(a) === bare ? 0 : Infinity;
}

const OPPOSITE: Readonly<Record<string, string>> = { gt_u: 'le_u', ge_u: 'lt_u', lt_u: 'ge_u', le_u: 'gt_u', eq: 'ne', ne: 'eq' };
const MIRRORED: Readonly<Record<string, string>> = { gt_u: 'lt_u', ge_u: 'le_u', lt_u: 'gt_u', le_u: 'ge_u', eq: 'eq', ne: 'ne' };

function upTo(relation: string | undefined, value: number): number {
  if (value < 0) return Infinity;
  if (relation === 'le_u' || relation === 'eq') return value;
  return relation === 'lt_u' && value > 0 ? value - 1 : Infinity;
}

function isComparison({ op }: Expression): boolean {
  return /\.(eqz|eq|ne|[lg][te]_[su])$/.test(op);
}
