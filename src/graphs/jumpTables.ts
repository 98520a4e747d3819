/**
 * Where indirect jumps go: tables of `switch` statements and of computed gotos. The target of the jump is an
 * expression,
 *
 *   load64(table + index*8)                     pointers to code
 *   extend(load32(table + index*4)) + base      distances from a base, mostly the table itself
 *
 * whose parts may have come from nodes before. The table must be at a fixed place; how many entries it has is said by
 * what the index can be (valueBounds.ts). If nothing says it, entries are read as long as they lead to instructions of
 * the function, and up to the next table.
 */
import type { FlowReader } from '../x86/flowReader.js';
import type { CodeSource } from './codeSource.js';
import type { Stretch } from './exploration.js';
import { asSum, type Expression, type Sum } from './expressions.js';
import type { FunctionBorder } from './functionBorder.js';
import { NodeFlow } from './nodeFlow.js';
import type { NodeMeanings } from './nodeMeaning.js';
import { ValueBounds } from './valueBounds.js';

interface Table {
  readonly start: number;
  readonly entryBytes: 4 | 8;
  readonly isSigned: boolean;
  /** Added to every entry. */
  readonly base: number;
  /** Entries; undefined if nothing says how many. */
  readonly count: number | undefined;
}

interface Found {
  readonly tables: Table[];
  readonly targets: number[];
}

const MOST_ENTRIES = 65_536;
/** How far back the parts of a target are looked for, in nodes. */
const FURTHEST = 24;
/** Nodes that are looked at for one jump; in large functions more. */
const MOST_STEPS = 1500;
const MOST_CONSTANTS = 16;
/** Sizes that follow from the width of the index: they say little of the table. */
const WIDTHS: ReadonlySet<number> = new Set([256, 65_536]);

export class JumpTables {
  private starts: ReadonlySet<number> | undefined;
  private sweptParts = 0;

  constructor(
    private readonly code: CodeSource,
    private readonly border: FunctionBorder,
    private readonly reader: FlowReader,
    private readonly meanings: NodeMeanings,
  ) {}

  /** Targets of indirect jumps by their addresses, as far as the nodes that are known say. */
  find(nodes: readonly Stretch[]): Map<number, number[]> {
    const flow = new NodeFlow(nodes, this.meanings);
    const search = new TableSearch(flow, new ValueBounds(flow, this.code), this.code);
    const found = new Map<number, Found>();
    nodes.forEach(({ ending: { kind, at } }, i) => {
      if (kind === 'indirect') found.set(at, search.of(i));
    });
    const known = [...found.values()].flatMap(({ tables }) => tables.map(({ start }) => start)).sort((a, b) => a - b);
    return new Map([...found].map(([at, { tables, targets }]) => {
      const read = tables.flatMap((table) => this.entries(table, known));
      return [at, [...new Set([...read, ...targets.filter((target) => this.leadsInside(target, true))])]];
    }));
  }

  private entries(table: Table, known: readonly number[]): number[] {
    const { start, entryBytes, count = MOST_ENTRIES } = table;
    const isSure = table.count !== undefined && !WIDTHS.has(count);
    const next = isSure ? undefined : known.find((other) => other > start);
    const most = next === undefined ? count : Math.min(count, Math.floor((next - start) / entryBytes));
    const targets: number[] = [];
    for (let i = 0; i < most; ) {
      const bytes = this.code.fetch(start + i * entryBytes, Math.min(most - i, 512) * entryBytes);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      if (bytes.length < entryBytes) return targets;
      for (let at = 0; at + entryBytes <= bytes.length; at += entryBytes, i++) {
        const target = table.base + entryAt(view, at, table);
        if (this.leadsInside(target, isSure)) targets.push(target);
        else if (!isSure) return targets;
      }
    }
    return targets;
  }

  /** `isSure`: the entry is one of the table. Otherwise it has to look like one. */
  private leadsInside(target: number, isSure: boolean): boolean {
    const { border, code } = this;
    if (border.contains(target)) return border.takesIn(target) && (isSure || this.isInstruction(target));
    if (!Number.isSafeInteger(target) || target <= 0) return false;
    const around = code.functionAround(target);
    if (around === undefined) return border.known === undefined && isSure;
    const isPart = around.entry === border.known?.entry || (isSure && around.name === undefined && code.functionAt(target) === undefined);
    return isPart && border.takesIn(target);
  }

  /** Whether reading the function from its start comes by there: compilers put nothing else between instructions. */
  private isInstruction(address: number): boolean {
    const { ranges } = this.border;
    if (this.starts === undefined || this.sweptParts !== ranges.length) {
      const starts = new Set<number>();
      for (const { start, end } of ranges) {
        for (let at = start; at < end; at = this.reader.next) {
          this.reader.read(at);
          starts.add(at);
        }
      }
      this.starts = starts;
      this.sweptParts = ranges.length;
    }
    return this.starts.has(address);
  }
}

function entryAt(view: DataView, at: number, { entryBytes, isSigned }: Table): number {
  if (entryBytes === 8) return Number(view.getBigInt64(at, true));
  return isSigned ? view.getInt32(at, true) : view.getUint32(at, true);
}

/** Looks for tables, backward from one jump. */
class TableSearch {
  private steps = 0;
  private readonly mostSteps: number;
  private readonly constants = new Map<string, ReadonlySet<number>>();
  private seen = new Set<string>();
  private found: Found = { tables: [], targets: [] };

  constructor(
    private readonly flow: NodeFlow,
    private readonly bounds: ValueBounds,
    private readonly code: CodeSource,
  ) {
    this.mostSteps = MOST_STEPS + 2 * flow.nodes.length;
  }

  of(node: number): Found {
    this.steps = 0;
    this.seen = new Set();
    this.found = { tables: [], targets: [] };
    const { target } = this.flow.meanings.of(this.flow.nodes[node] as Stretch);
    if (target !== undefined) this.resolve(target, node, FURTHEST);
    return this.found;
  }

  private resolve(target: Expression, node: number, depth: number): void {
    const key = `${node} ${target.id}`;
    if (target.op === 'unknown' || depth === 0 || this.seen.has(key) || ++this.steps > this.mostSteps) return;
    this.seen.add(key);
    const choice = this.choice(target);
    if (choice !== undefined) for (const one of choice) this.resolve(one, node, depth);
    else if (target.op === 'const') this.found.targets.push(target.value);
    else if (!this.matches(target, node)) this.goBack(target, node, depth);
  }

  private goBack(target: Expression, node: number, depth: number): void {
    for (const { from } of this.flow.arrivalsAt(node)) this.resolve(this.flow.before(target, from), from, depth - 1);
  }

  /** A value that is one of two: both. */
  private choice(target: Expression): Expression[] | undefined {
    const { expressions } = this.flow.meanings;
    if (target.op === 'i64.select') return target.args.slice(0, 2);
    if (target.op !== 'i64.add') return undefined;
    const index = target.args.findIndex(({ op }) => op === 'i64.select');
    const select = target.args[index];
    if (select === undefined) return undefined;
    return select.args.slice(0, 2).map((one) => expressions.make('i64.add', target.args.map((arg, i) => (i === index ? one : arg))));
  }

  private matches(target: Expression, node: number): boolean {
    const sum = asSum(target);
    const entry = sum.terms.find(({ factor, of }) => factor === 1 && loadOf(of) !== undefined);
    const load = entry === undefined ? undefined : loadOf(entry.of);
    if (entry === undefined || load === undefined) return false;
    const bases = this.sumsOf({ constant: sum.constant, terms: sum.terms.filter((term) => term !== entry) }, node);
    if (bases === undefined) return false;
    const { isSigned, bytes } = load;
    const address = asSum(load.address);
    const index = address.terms.find(({ factor }) => factor === bytes);
    const starts = this.sumsOf({ constant: address.constant, terms: address.terms.filter((term) => term !== index) }, node);
    if (starts === undefined) {
      // A multiple of the index, or a sum: then the base of the distances is the table, as compilers have it.
      const isScaled = address.terms.every(({ factor, of }) => factor % bytes === 0 || this.constantsAt(of, node).size > 0);
      if (bytes !== 4 || !isScaled || bases.some((base) => base <= 0)) return false;
      for (const start of bases) this.found.tables.push({ start, entryBytes: 4, isSigned, base: start, count: undefined });
      return true;
    }
    // A pointer that can be written to is no table.
    if (index === undefined && bytes === 8) return true;
    const largest = index === undefined ? 0 : this.bounds.largest(index.of, node);
    const count = largest >= 0 && largest < MOST_ENTRIES ? largest + 1 : undefined;
    for (const start of starts) {
      // Distances from the table itself go with it, if it is one of several.
      const own = bases.includes(start) ? [start] : bases;
      for (const base of own) {
        // An index that nothing bounds may be negative: hand-written code adds to it, and takes that off again here.
        const isWithin = count === undefined && bytes === 4 && base > 0 && base < start;
        this.found.tables.push({ start: isWithin ? base : start, entryBytes: bytes, isSigned, base, count });
      }
    }
    return true;
  }

  /** What a sum can be, if all of its terms are known. */
  private sumsOf({ constant, terms }: Sum, node: number): number[] | undefined {
    let sums = [constant];
    for (const { factor, of } of terms) {
      const values = this.constantsAt(of, node);
      if (values.size === 0) return undefined;
      sums = sums.flatMap((sum) => [...values].map((value) => sum + factor * value)).slice(0, MOST_CONSTANTS);
    }
    return sums;
  }

  /**
   * The constants that an expression can be where a node begins, on the ways on which it is one. Near nodes come first:
   * tables are prepared in front of large loops, and the ways around the loop say nothing new.
   */
  private constantsAt(expression: Expression, node: number): ReadonlySet<number> {
    const asked = `${node} ${expression.id}`;
    const known = this.constants.get(asked);
    if (known !== undefined) return known;
    const found = new Set<number>();
    this.constants.set(asked, found);
    const seen = new Set<string>();
    const queue = [{ one: expression, at: node }];
    for (const { one, at } of queue) {
      const value = this.constantOf(one);
      if (value !== undefined) found.add(value);
      const key = `${at} ${one.id}`;
      if (value !== undefined || one.op === 'unknown' || seen.has(key)) continue;
      if (++this.steps > this.mostSteps || found.size > MOST_CONSTANTS) break;
      seen.add(key);
      if (one.op === 'i64.select') for (const part of one.args.slice(0, 2)) queue.push({ one: part, at });
      else for (const { from } of this.flow.arrivalsAt(at)) queue.push({ one: this.flow.before(one, from), at: from });
    }
    return found;
  }

  /** Pointers at fixed places are constants, too. */
  private constantOf(expression: Expression): number | undefined {
    if (expression.op === 'const') return expression.value;
    const [address] = expression.args;
    if (expression.op !== 'load64' || address?.op !== 'const') return undefined;
    const bytes = this.code.fetch(address.value, 8);
    return bytes.length < 8 ? undefined : Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigInt64(0, true));
  }
}

function loadOf(expression: Expression): { readonly address: Expression; readonly bytes: 4 | 8; readonly isSigned: boolean } | undefined {
  const [argument] = expression.args;
  if (expression.op === 'load64' && argument !== undefined) return { address: argument, bytes: 8, isSigned: true };
  const isSigned = expression.op === 'i64.extend_i32_s';
  if ((!isSigned && expression.op !== 'i64.extend_i32_u') || argument?.op !== 'load32') return undefined;
  return { address: argument.args[0] as Expression, bytes: 4, isSigned };
}
