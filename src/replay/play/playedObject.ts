/** A file or shared memory that the guest has mapped, as the recording knows it. No file of the host is behind it. */
import { PAGE_SIZE } from '../../base/types.js';
import type { MappableFile } from '../../machine/mapping.js';

/** Contents of files that are stored in the recording. */
export interface BlobSource {
  /** Fills `target` with the bytes from `offset` on; returns how many there are. */
  read(blob: number, offset: number, target: Uint8Array): number;
}

export interface ObjectFacts {
  readonly object: number;
  readonly path: string;
  readonly device: number;
  readonly inode: number;
  readonly blob: number;
}

/**
 * What is different from the blob: pages by number. Pages are never changed in place, so a copy of the map is a copy of
 * all.
 */
export interface ObjectState {
  readonly size: number;
  readonly pages: ReadonlyMap<number, Uint8Array>;
}

export class PlayedObject implements MappableFile {
  readonly path: string;
  readonly device: number;
  readonly inode: number;
  private changed = new Map<number, Uint8Array>();
  /** A file that it is a view of by now: a branch has left the recording, and writes to it by other ways, too. */
  private file: MappableFile | undefined;

  constructor(
    readonly facts: ObjectFacts,
    private knownSize: number,
    private readonly blobs: BlobSource,
  ) {
    this.path = facts.path;
    this.device = facts.device;
    this.inode = facts.inode;
  }

  get size(): number {
    return this.file?.size ?? this.knownSize;
  }

  set size(size: number) {
    this.knownSize = size;
  }

  /** From now on its bytes are those of `file`. */
  become(file: MappableFile): void {
    this.file = file;
  }

  read(offset: number, target: Uint8Array): number {
    if (this.file !== undefined) return this.file.read(offset, target);
    const length = Math.min(target.length, Math.max(0, this.size - offset));
    const known = this.facts.blob === 0 ? 0 : this.blobs.read(this.facts.blob, offset, target.subarray(0, length));
    target.fill(0, known, length);
    if (this.changed.size > 0) this.readChanged(offset, target.subarray(0, length));
    return length;
  }

  writeBack(offset: number, bytes: Uint8Array): void {
    if (this.file !== undefined) {
      this.file.writeBack?.(offset, bytes);
      return;
    }
    for (let at = 0; at < bytes.length; ) {
      const within = (offset + at) % PAGE_SIZE;
      const index = (offset + at - within) / PAGE_SIZE;
      const part = bytes.subarray(at, at + PAGE_SIZE - within);
      const page = this.page(index);
      page.set(part, within);
      this.changed.set(index, page);
      at += part.length;
    }
  }

  /** As it is now, whatever becomes of this one. */
  copy(): PlayedObject {
    const copy = new PlayedObject(this.facts, this.size, this.blobs);
    copy.state = this.state;
    return copy;
  }

  get state(): ObjectState {
    return { size: this.size, pages: new Map(this.changed) };
  }

  set state({ size, pages }: ObjectState) {
    this.size = size;
    this.changed = new Map(pages);
  }

  /** A copy of the whole page, whatever the size. */
  private page(index: number): Uint8Array {
    const known = this.changed.get(index);
    if (known !== undefined) return known.slice();
    const page = new Uint8Array(PAGE_SIZE);
    if (this.facts.blob !== 0) this.blobs.read(this.facts.blob, index * PAGE_SIZE, page);
    return page;
  }

  private readChanged(offset: number, target: Uint8Array): void {
    for (let at = 0; at < target.length; ) {
      const within = (offset + at) % PAGE_SIZE;
      const count = Math.min(PAGE_SIZE - within, target.length - at);
      const page = this.changed.get((offset + at - within) / PAGE_SIZE);
      if (page !== undefined) target.set(page.subarray(within, within + count), at);
      at += count;
    }
  }
}
