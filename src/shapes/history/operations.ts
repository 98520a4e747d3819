/**
 * Operations in the order of time, in columns: there are millions. What is no number stands beside its column. An
 * operation is made when it is asked for.
 */
import type { FieldValue, History, NodeId, Operation, StatementRef } from '../model.js';
import type { NodeLife } from './nodes.js';

const FIRST_ROOM = 1024;
const [MADE, GONE, WRITTEN] = [0, 1, 2] as const;

export class Operations implements History {
  length = 0;
  private kinds = new Uint8Array(FIRST_ROOM);
  private times = new Float64Array(FIRST_ROOM);
  private nodes = new Uint32Array(FIRST_ROOM);
  private fields = new Uint32Array(FIRST_ROOM);
  private statements = new Uint32Array(FIRST_ROOM);
  private before = new Float64Array(FIRST_ROOM);
  private after = new Float64Array(FIRST_ROOM);
  private readonly large = new Map<number, { before: FieldValue; after: FieldValue }>();
  private readonly firstValues = new Map<NodeId, readonly FieldValue[]>();
  private readonly refs: StatementRef[] = [];
  private readonly refNumbers = new Map<number, number[]>();

  /** By number. */
  constructor(private readonly lives: readonly NodeLife[]) {}

  made(life: NodeLife, values: readonly FieldValue[]): void {
    this.firstValues.set(life.id, values);
    this.add(MADE, life.made, life.id, 0, life.madeBy);
  }

  gone(life: NodeLife): void {
    this.add(GONE, life.gone, life.id, 0, life.goneBy);
  }

  written(time: number, node: NodeId, field: number, address: number, thread: number, before: FieldValue, after: FieldValue): void {
    const index = this.length;
    this.addRow(WRITTEN, time, node, field, this.refNumber(address, thread));
    if (typeof before === 'bigint' || typeof after === 'bigint') this.large.set(index, { before, after });
    else {
      this.before[index] = before;
      this.after[index] = after;
    }
  }

  at(index: number): Operation {
    const time = this.times[index] as number;
    const node = this.nodes[index] as NodeId;
    const by = this.refs[this.statements[index] as number] as StatementRef;
    const kind = this.kinds[index];
    if (kind === GONE) return { kind: 'gone', time, by, node };
    if (kind === MADE) {
      const { type, address, bytes } = this.lives[node] as NodeLife;
      return { kind: 'made', time, by, node, type, address, bytes, values: this.firstValues.get(node) ?? [] };
    }
    const { before, after } = this.large.get(index) ?? { before: this.before[index] as number, after: this.after[index] as number };
    return { kind: 'written', time, by, node, field: this.fields[index] as number, before, after };
  }

  /** How many have a smaller time. */
  countBefore(time: number): number {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.times[middle] as number) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private add(kind: number, time: number, node: NodeId, field: number, { address, thread }: StatementRef): void {
    this.addRow(kind, time, node, field, this.refNumber(address, thread));
  }

  private addRow(kind: number, time: number, node: NodeId, field: number, ref: number): void {
    const index = this.length++;
    if (index === this.kinds.length) this.grow();
    this.kinds[index] = kind;
    this.times[index] = time;
    this.nodes[index] = node;
    this.fields[index] = field;
    this.statements[index] = ref;
  }

  private grow(): void {
    const room = this.kinds.length * 2;
    const larger = <T extends Uint8Array | Uint32Array | Float64Array>(old: T, fresh: T): T => (fresh.set(old), fresh);
    this.kinds = larger(this.kinds, new Uint8Array(room));
    this.times = larger(this.times, new Float64Array(room));
    this.nodes = larger(this.nodes, new Uint32Array(room));
    this.fields = larger(this.fields, new Uint32Array(room));
    this.statements = larger(this.statements, new Uint32Array(room));
    this.before = larger(this.before, new Float64Array(room));
    this.after = larger(this.after, new Float64Array(room));
  }

  private refNumber(address: number, thread: number): number {
    const there = this.refNumbers.get(address) ?? [];
    const known = there.find((number) => this.refs[number]?.thread === thread);
    if (known !== undefined) return known;
    const number = this.refs.push({ address, thread }) - 1;
    this.refNumbers.set(address, [...there, number]);
    return number;
  }
}
