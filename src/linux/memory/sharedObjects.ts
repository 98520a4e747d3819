/**
 * What several address spaces may map at the same time: files, and memory that is no file (shared
 * anonymous memory, System V segments). Each address space has copies of an object's pages in its linear
 * memory; the object itself is where changes meet (sharedFiles.ts).
 */
import { PAGE_SIZE } from '../../base/types.js';
import type { MappableFile } from '../../machine/addressSpace.js';

/** An address space that maps an object. */
export interface Mapper {
  /** Writes back what it has changed of the object. */
  flushObject(object: SharedObject): void;
  /** Bytes of the object have changed: copies of them are to be loaded anew. */
  forgetCopies(object: SharedObject, offset: number, length: number): void;
}

export class SharedObject {
  readonly mappers = new Set<Mapper>();
}

/** Where anonymous shared memory gets its inode numbers from; Linux starts low, too. */
const FIRST_INODE = 1025;
export const ANONYMOUS_DEVICE = 1;

/** All objects that are mapped somewhere in the guest. */
export class SharedObjects {
  private readonly objects = new Map<string, SharedObject>();
  private nextInode = FIRST_INODE;

  /** The same for all mappings of a file. */
  of({ device, inode }: Pick<MappableFile, 'device' | 'inode'>): SharedObject {
    const key = `${device}:${inode}`;
    let object = this.objects.get(key);
    if (object === undefined) this.objects.set(key, (object = new SharedObject()));
    return object;
  }

  add(file: MappableFile, mapper: Mapper): void {
    const object = this.of(file);
    if (object.mappers.has(mapper)) return;
    // The newcomer loads what the others have.
    for (const other of object.mappers) other.flushObject(object);
    object.mappers.add(mapper);
  }

  remove(file: MappableFile, mapper: Mapper): void {
    const object = this.of(file);
    object.mappers.delete(mapper);
    if (object.mappers.size === 0) this.objects.delete(`${file.device}:${file.inode}`);
  }

  get isEmpty(): boolean {
    return this.objects.size === 0;
  }

  all(): readonly SharedObject[] {
    return [...this.objects.values()];
  }

  /** If anybody maps it. */
  find({ device, inode }: Pick<MappableFile, 'device' | 'inode'>): SharedObject | undefined {
    return this.objects.get(`${device}:${inode}`);
  }

  /** Inode numbers up to this one are taken. */
  skipInodes(last: number): void {
    this.nextInode = Math.max(this.nextInode, last + 1);
  }

  /** Memory that is shared between all that map it, and has no file. */
  newMemory(size: number, path: string): MappableFile {
    return new SharedMemory(path, this.nextInode++, size);
  }
}

/** Pages come to be when they are written. */
class SharedMemory implements MappableFile {
  readonly device = ANONYMOUS_DEVICE;
  private readonly pages = new Map<number, Uint8Array>();

  constructor(
    readonly path: string,
    readonly inode: number,
    readonly size: number,
  ) {}

  read(offset: number, target: Uint8Array): number {
    const length = Math.min(target.length, Math.max(0, this.size - offset));
    for (let at = 0; at < length; ) {
      const within = (offset + at) % PAGE_SIZE;
      const count = Math.min(PAGE_SIZE - within, length - at);
      const page = this.pages.get((offset + at - within) / PAGE_SIZE);
      if (page === undefined) target.fill(0, at, at + count);
      else target.set(page.subarray(within, within + count), at);
      at += count;
    }
    return length;
  }

  writeBack(offset: number, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const within = (offset + at) % PAGE_SIZE;
      const count = Math.min(PAGE_SIZE - within, bytes.length - at);
      const index = (offset + at - within) / PAGE_SIZE;
      let page = this.pages.get(index);
      if (page === undefined) this.pages.set(index, (page = new Uint8Array(PAGE_SIZE)));
      page.set(bytes.subarray(at, at + count), within);
      at += count;
    }
  }
}
