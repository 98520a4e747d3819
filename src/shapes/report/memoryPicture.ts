/**
 * What a pointer leads to, as a picture: objects as memory has them now, along their pointers. No specification is
 * needed.
 */
import { strip, type Type } from '../../dwarf/types.js';
import type { Picture, PictureEdge, PictureField, PictureNode } from '../explain/picture.js';
import { flatten, type MemoryField } from '../history/flatten.js';
import { MemoryMirror } from '../history/memoryMirror.js';
import { valueText } from './values.js';

interface Found {
  readonly node: number;
  readonly address: number;
  readonly type: Type;
}

type ReadMemory = (address: number, bytes: number) => Uint8Array | undefined;

const MOST_FIELDS = 8;

/** The object of a type at an address, and at most `limit` in all. */
export function memoryPicture(type: Type, address: number, read: ReadMemory, limit: number): Picture {
  const drawing = new Drawing(read, limit);
  drawing.reach(type, address);
  return drawing.picture();
}

class Drawing {
  private readonly byAddress = new Map<number, Found>();
  private readonly waiting: Found[] = [];
  private readonly nodes: PictureNode[] = [];
  private readonly edges: PictureEdge[] = [];
  private leftOut = 0;

  constructor(
    private readonly read: ReadMemory,
    private readonly limit: number,
  ) {}

  picture(): Picture {
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) this.draw(next);
    return { nodes: this.nodes, edges: this.edges, leftOut: this.leftOut };
  }

  /** The object there, if it can be read and there is room for it. */
  reach(type: Type, address: number): Found | undefined {
    const known = this.byAddress.get(address);
    if (known !== undefined) return known;
    const { size } = strip(type);
    if (address === 0 || this.read(address, size) === undefined) return undefined;
    if (this.byAddress.size >= this.limit) return void this.leftOut++;
    const found = { node: this.byAddress.size, address, type };
    this.byAddress.set(address, found);
    this.waiting.push(found);
    return found;
  }

  private draw({ node, address, type }: Found): void {
    const pointers = new Map<string, Type>();
    const fields = flatten(type, () => undefined, (name, to) => pointers.set(name, to));
    const bytes = this.read(address, strip(type).size);
    const mirror = new MemoryMirror();
    if (bytes !== undefined) mirror.write(address, bytes.length, new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0);
    const data: PictureField[] = [];
    for (const field of fields) {
      const to = pointers.get(field.name);
      if (to !== undefined && isObject(to)) this.follow(node, address, field, to, mirror);
      else if (data.length < MOST_FIELDS) data.push({ name: field.name === '' ? 'value' : field.name, value: valueText(mirror.read(address, field), field.kind), isChanged: false });
    }
    this.nodes.push({ node, title: `0x${address.toString(16)} ${strip(type).name ?? ''}`.trim(), fields: data, isMarked: false, change: 'same' });
  }

  private follow(from: number, address: number, field: MemoryField, to: Type, mirror: MemoryMirror): void {
    const target = Number(mirror.read(address, field));
    const found = this.reach(to, target);
    const isThere = target === 0 || found !== undefined || this.read(target, 1) !== undefined;
    this.edges.push({ from, name: field.name, to: found?.node, where: target === 0 ? 'NULL' : `0x${target.toString(16)}`, isWild: !isThere, change: 'same' });
  }
}

/** Texts and numbers behind pointers are shown as their addresses. */
function isObject(type: Type): boolean {
  const plain = strip(type);
  return plain.kind === 'struct' && !plain.definition.isIncomplete;
}
