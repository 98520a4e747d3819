/**
 * Makes operations of what is observed: stores to the memory of nodes go to a copy of it, and each field that is
 * another one then is an operation. Nodes come and go at their times, in between. What a store leaves as it was is no
 * operation.
 */
import type { ExecutionListener, KernelChange, SpotPlace } from '../../replay/timeline/observing.js';
import type { MemoryField } from './flatten.js';
import type { MemoryMirror } from './memoryMirror.js';
import type { NodeLife } from './nodes.js';
import { Operations } from './operations.js';

const PAGE = 4096;
const UNIT = 4;
const UNITS = PAGE / UNIT;

interface Change {
  readonly time: number;
  readonly life: NodeLife;
  readonly isMade: boolean;
}

export class WriteWatch implements ExecutionListener {
  readonly operations: Operations;
  private readonly changes: readonly Change[];
  private next = 0;
  /** By page, and four bytes of it: the node that has them now, plus one; 0 if none has. */
  private readonly owners = new Map<number, Uint32Array>();

  constructor(
    private readonly isMeant: (place: SpotPlace, time: number) => boolean,
    private readonly lives: readonly NodeLife[],
    private readonly mirror: MemoryMirror,
    private readonly space: () => number | undefined,
  ) {
    this.operations = new Operations(lives);
    const made = lives.map((life): Change => ({ time: life.made, life, isMade: true }));
    const gone = lives.filter((life) => life.gone !== Infinity).map((life): Change => ({ time: life.gone, life, isMade: false }));
    // What goes makes room for what comes at the same time.
    this.changes = [...gone, ...made].sort((a, b) => a.time - b.time || Number(a.isMade) - Number(b.isMade));
  }

  stored(place: SpotPlace, time: number, address: number, bytes: number, content: DataView, at: number): void {
    if (!this.isMeant(place, time)) return;
    this.comeTo(time);
    const touched = this.fieldsIn(address, bytes);
    if (touched.length === 0) return this.mirror.write(address, bytes, content, at);
    const before = touched.map(({ life, field }) => this.mirror.read(life.address, field));
    this.mirror.write(address, bytes, content, at);
    touched.forEach(({ life, field }, i) => {
      const [old, now] = [before[i] as number, this.mirror.read(life.address, field)];
      if (!Object.is(old, now)) this.operations.written(time, life.id, field.index, place.instruction - (place.by === 'kernel' ? 1 : 0), place.thread, old, now);
    });
  }

  changed(change: KernelChange): void {
    if (change.kind !== 'replace' && change.kind !== 'refresh') return;
    if (change.space !== this.space()) return;
    this.mirror.clear(change.address, change.bytes);
  }

  /** All that comes and goes before `time`, or never after it. */
  comeTo(time: number): void {
    for (; this.next < this.changes.length; this.next++) {
      const { time: when, life, isMade } = this.changes[this.next] as Change;
      if (when >= time) return;
      if (isMade) this.operations.made(life, life.type.fields.map((field) => this.mirror.read(life.address, field)));
      else this.operations.gone(life);
      this.own(life, isMade);
    }
  }

  private own({ address, bytes, id }: NodeLife, isMade: boolean): void {
    for (let at = address - (address % UNIT); at < address + bytes; at += UNIT) {
      const number = Math.floor(at / PAGE);
      let page = this.owners.get(number);
      if (page === undefined) this.owners.set(number, (page = new Uint32Array(UNITS)));
      const unit = (at % PAGE) / UNIT;
      if (isMade) page[unit] = id + 1;
      else if (page[unit] === id + 1) page[unit] = 0;
    }
  }

  private fieldsIn(address: number, bytes: number): { readonly life: NodeLife; readonly field: MemoryField }[] {
    const found: { life: NodeLife; field: MemoryField }[] = [];
    let last = 0;
    for (let at = address - (address % UNIT); at < address + bytes; at += UNIT) {
      const id = this.owners.get(Math.floor(at / PAGE))?.[(at % PAGE) / UNIT] ?? 0;
      if (id === 0 || id === last) continue;
      last = id;
      const life = this.lives[id - 1] as NodeLife;
      for (const field of fieldsAt(life, address - life.address, bytes)) found.push({ life, field });
    }
    return found;
  }
}

const byOffset = new WeakMap<readonly MemoryField[], ReadonlyMap<number, readonly MemoryField[]>>();

/** Fields that have one of the bytes. Nearly all stores are to one field. */
function fieldsAt({ type: { fields } }: NodeLife, offset: number, bytes: number): readonly MemoryField[] {
  let index = byOffset.get(fields);
  if (index === undefined) byOffset.set(fields, (index = indexOf(fields)));
  const first = index.get(Math.floor(offset / UNIT)) ?? [];
  if (bytes <= UNIT && (((offset % UNIT) + UNIT) % UNIT) + bytes <= UNIT) return first.filter((field) => field.offset < offset + bytes && offset < field.offset + field.bytes);
  const all = new Set<MemoryField>();
  for (let unit = Math.floor(offset / UNIT); unit * UNIT < offset + bytes; unit++) for (const field of index.get(unit) ?? []) if (field.offset < offset + bytes && offset < field.offset + field.bytes) all.add(field);
  return [...all];
}

function indexOf(fields: readonly MemoryField[]): ReadonlyMap<number, readonly MemoryField[]> {
  const index = new Map<number, MemoryField[]>();
  for (const field of fields) {
    for (let unit = Math.floor(field.offset / UNIT); unit * UNIT < field.offset + field.bytes; unit++) index.set(unit, [...(index.get(unit) ?? []), field]);
  }
  return index;
}
