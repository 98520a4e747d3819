/**
 * The files and shared memories that the guest maps. Their contents are recorded whole when they are
 * first mapped. For each we know what replay will take its contents to be; whenever pages are loaded
 * that are different from that (a process has written to the file, or it was too large to be recorded), they are
 * recorded as well.
 */
import { PAGE_SIZE } from '../../base/types.js';
import { ANONYMOUS_DEVICE } from '../../linux/memory/sharedObjects.js';
import { LARGEST_RECORDED_FILE } from '../../layout/recordedFiles.js';
import type { MappableFile, Mapping } from '../../machine/mapping.js';
import type { Effect } from '../log/effects.js';

const BLOB_PART = 1024 * 1024;
const ZEROS = new Uint8Array(PAGE_SIZE);

/** An object that the recording already has. */
export interface KnownObject {
  readonly id: number;
  /** As it was when it was last recorded. */
  readonly file: MappableFile;
}

/** What replay knows of an object. */
class Mirror {
  private readonly changed = new Map<number, Uint8Array>();

  constructor(
    readonly id: number,
    public size: number,
    /** The bytes of a page, or what there is of them. */
    private readonly original: (index: number) => Uint8Array | undefined,
  ) {}

  page(index: number): Uint8Array {
    const changed = this.changed.get(index);
    if (changed !== undefined) return changed;
    const part = this.original(index);
    if (part === undefined || part.length === 0) return ZEROS;
    if (part.length === PAGE_SIZE) return part;
    const last = new Uint8Array(PAGE_SIZE);
    last.set(part);
    return last;
  }

  setPage(index: number, bytes: Uint8Array): void {
    this.changed.set(index, bytes);
  }

  write(offset: number, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const within = (offset + at) % PAGE_SIZE;
      const index = (offset + at - within) / PAGE_SIZE;
      const part = bytes.subarray(at, at + PAGE_SIZE - within);
      const page = this.page(index).slice();
      page.set(part, within);
      this.changed.set(index, page);
      at += part.length;
    }
  }
}

export class MappedObjects {
  private readonly mirrors = new Map<string, Mirror>();
  private next: number;

  constructor(
    private readonly emit: (effect: Effect) => void,
    private readonly storeBlob: (id: number, offset: number, bytes: Uint8Array<ArrayBuffer>) => void,
    before: { readonly known: readonly KnownObject[]; readonly next: number } = { known: [], next: 1 },
  ) {
    this.next = before.next;
    for (const { id, file } of before.known) this.mirrors.set(keyOf(file), new Mirror(id, file.size, (index) => pageOf(file, index)));
  }

  idOf(file: MappableFile): number {
    return this.mirrorOf(file).id;
  }

  /** Pages have been loaded: `bytes` from `offset` of the file on. */
  loaded(file: MappableFile, offset: number, bytes: Uint8Array): void {
    const mirror = this.mirrorOf(file);
    for (let at = 0; at < bytes.length; at += PAGE_SIZE) {
      const page = bytes.subarray(at, at + PAGE_SIZE);
      const index = (offset + at) / PAGE_SIZE;
      if (isEqual(page, mirror.page(index))) continue;
      const copy = page.slice();
      mirror.setPage(index, copy);
      this.emit({ op: 'patch', object: mirror.id, offset: offset + at, bytes: copy });
    }
  }

  measured(file: MappableFile, size: number): void {
    const mirror = this.mirrorOf(file);
    if (mirror.size === size) return;
    mirror.size = size;
    this.emit({ op: 'objectSize', object: mirror.id, size });
  }

  /** Replay does this by itself. */
  writtenBack({ file }: Mapping, offset: number, bytes: Uint8Array): void {
    if (file !== undefined) this.mirrorOf(file).write(offset, bytes);
  }

  private mirrorOf(file: MappableFile): Mirror {
    const key = keyOf(file);
    let mirror = this.mirrors.get(key);
    if (mirror === undefined) this.mirrors.set(key, (mirror = this.introduce(file, this.next++)));
    return mirror;
  }

  private introduce(file: MappableFile, id: number): Mirror {
    const { path, device, inode, size } = file;
    const whole = device === ANONYMOUS_DEVICE || size > LARGEST_RECORDED_FILE || size === 0 ? undefined : readWhole(file, size);
    this.emit({ op: 'object', object: id, path, device, inode, size, blob: whole === undefined ? 0 : id });
    if (whole !== undefined) this.store(id, whole);
    return new Mirror(id, size, (index) => whole?.subarray(index * PAGE_SIZE, (index + 1) * PAGE_SIZE));
  }

  private store(id: number, whole: Uint8Array<ArrayBuffer>): void {
    for (let at = 0; at < whole.length; at += BLOB_PART) this.storeBlob(id, at, whole.slice(at, at + BLOB_PART));
  }
}

function keyOf({ device, inode }: MappableFile): string {
  return `${device}:${inode}`;
}

function pageOf(file: MappableFile, index: number): Uint8Array {
  const page = new Uint8Array(PAGE_SIZE);
  file.read(index * PAGE_SIZE, page);
  return page;
}

function readWhole(file: MappableFile, size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; ) {
    const count = file.read(at, bytes.subarray(at));
    if (count <= 0) break;
    at += count;
  }
  return bytes;
}

/** Of two whole pages; those of linear memory and of files are aligned. */
function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  const [x, y] = [words(a), words(b)];
  for (let i = 0; i < x.length; i++) if (x[i] !== y[i]) return false;
  return true;
}

function words(page: Uint8Array): Uint32Array {
  return new Uint32Array(page.buffer, page.byteOffset, page.length / 4);
}
