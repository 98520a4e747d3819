/**
 * The shared mappings of an address space. Linear memory holds copies of pages of the objects that are
 * mapped (sharedObjects.ts), so the kernel has to carry changes over. What the guest wrote goes back
 *
 *   - when another process is about to run and another one maps the object too (`publish`): only one
 *     process runs at a time, so that none ever sees anything else than with real shared memory;
 *   - at msync, munmap, exit, and before a file is read or written through a descriptor.
 *
 * Other processes with copies of such pages load them anew when they touch them.
 *
 * The same page may also be mapped twice in one address space (ring buffers, and code that is written in
 * one place and run in another). Then at most one of the copies is open for writing, and while it is the
 * others are absent: touching one of them first takes the changes over.
 */
import { PAGE_SIZE } from '../../base/types.js';
import type { AddressSpace, MappableFile, Mapping, SharedPages } from '../../machine/addressSpace.js';
import { type Mapper, type SharedObject, SharedObjects } from './sharedObjects.js';

interface SharedMapping extends Mapping {
  readonly file: MappableFile;
}

/** As much of an open file as matters here. */
interface FileWithIdentity {
  stat(): { readonly device: bigint; readonly inode: bigint } | number;
}

export class SharedFiles implements SharedPages, Mapper {
  /** The shared mappings; undefined after they have changed. */
  private known: readonly SharedMapping[] | undefined = [];
  /** Pages that may have been written since they were last written back. */
  private readonly written = new Set<number>();

  constructor(
    private readonly space: AddressSpace,
    readonly objects: SharedObjects = new SharedObjects(),
  ) {
    space.sharing = this;
  }

  /** A shared mapping is about to be made. */
  note(m: Mapping): void {
    if (m.file === undefined) return;
    this.known = undefined;
    this.objects.add(m.file, this);
  }

  /** Mappings may have been split or merged. */
  noteChanged(): void {
    this.known = undefined;
  }

  /** A shared mapping, or part of one, is gone. */
  noteRemoved({ file }: Mapping): void {
    this.known = undefined;
    if (file !== undefined && !this.mappings().some((m) => isSameFile(m.file, file))) this.objects.remove(file, this);
  }

  /** For fork: the other one has the same mappings. */
  copyTo(other: SharedFiles): void {
    this.flushAll();
    for (const m of this.mappings()) other.note(m);
  }

  /** The process ends, or its program does. */
  close(): void {
    this.flushAll();
    for (const { file } of this.mappings()) this.objects.remove(file, this);
    this.known = [];
  }

  /** Pages that may have been written since they were last written back. */
  get unpublished(): readonly number[] {
    return [...this.written];
  }

  /** Time travel: before the address space becomes what it was at another time, it leaves all objects. */
  detach(): void {
    for (const { file } of this.mappings()) this.objects.remove(file, this);
    this.written.clear();
    this.known = [];
  }

  /**
   * Time travel: the address space is now what it was at another time. `unpublished` is set once all others are
   * attached, too.
   */
  attach(): void {
    this.space.sharing = this;
    this.known = undefined;
    for (const { file } of this.mappings()) this.objects.add(file, this);
  }

  set unpublished(pages: readonly number[]) {
    this.written.clear();
    for (const page of pages) this.written.add(page);
  }

  /** Another process is about to run. */
  publish(): void {
    if (this.written.size === 0) return;
    const several = (page: number): boolean => {
      const m = this.space.find(page);
      return m?.file !== undefined && this.objects.of(m.file).mappers.size > 1;
    };
    this.flushPages([...this.written].filter(several));
  }

  /** Writes back what changed in the range. */
  flush(start: number, length: number): void {
    if (this.written.size === 0) return;
    this.flushPages([...this.written].filter((page) => page >= start && page < start + length));
  }

  flushAll(): void {
    if (this.written.size > 0) this.flushPages([...this.written]);
  }

  flushObject(object: SharedObject): void {
    for (const m of this.mappingsOf(object)) this.flush(m.start, m.end - m.start);
  }

  forgetCopies(object: SharedObject, offset: number, length: number): void {
    for (const m of this.mappingsOf(object)) {
      const start = Math.max(m.start, m.start + (offset - m.fileOffset));
      const end = Math.min(m.end, m.start + (offset + length - m.fileOffset));
      if (start < end) this.space.markAbsent(start, end - start);
    }
  }

  /** Before a file (if it is not known which: any) is read by other means than a mapping. */
  beforeRead(file?: FileWithIdentity): void {
    for (const object of this.objectsOf(file)) for (const mapper of object.mappers) mapper.flushObject(object);
  }

  /** Right before a file is written by other means than a mapping. */
  beforeWrite(file?: FileWithIdentity): void {
    for (const object of this.objectsOf(file)) {
      for (const mapper of object.mappers) {
        mapper.flushObject(object);
        mapper.forgetCopies(object, 0, Infinity);
      }
    }
  }

  beforeLoad(m: Mapping, start: number, end: number): void {
    for (const other of this.aliases(m, start, end)) this.flush(other.start, other.end - other.start);
  }

  beforeFirstWrite(page: number): void {
    this.written.add(page);
    const m = this.space.find(page);
    if (m === undefined) return;
    for (const other of this.aliases(m, page, page + PAGE_SIZE)) {
      this.flush(other.start, other.end - other.start);
      this.space.markAbsent(other.start, other.end - other.start);
      // Compiled code may count on the page being open, for it has just looked; now it has to look again.
      this.space.onCodeWrite(other.start);
    }
  }

  private objectsOf(file: FileWithIdentity | undefined): readonly SharedObject[] {
    if (this.objects.isEmpty) return [];
    const stat = file?.stat();
    if (stat === undefined || typeof stat === 'number') return this.objects.all();
    const object = this.objects.find({ device: Number(stat.device), inode: Number(stat.inode) });
    return object === undefined ? [] : [object];
  }

  private mappings(): readonly SharedMapping[] {
    this.known ??= this.space.mappings().filter((m): m is SharedMapping => m.shared && m.file !== undefined);
    return this.known;
  }

  private mappingsOf(object: SharedObject): SharedMapping[] {
    return this.mappings().filter(({ file }) => this.objects.of(file) === object);
  }

  /** Where else the bytes of [start, end) of `m` are mapped shared: those mappings, clipped to the bytes. */
  private aliases(m: Mapping, start: number, end: number): Mapping[] {
    const first = m.fileOffset + (start - m.start);
    return this.mappings().filter((other) => other.start !== m.start && isSameFile(other.file, m.file)).flatMap((other) => {
      const from = Math.max(other.start, other.start + (first - other.fileOffset));
      return this.space.mappingsWithin(from, Math.max(0, Math.min(other.end, from + (end - start)) - from));
    });
  }

  private flushPages(pages: number[]): void {
    pages.sort((a, b) => a - b);
    let run: { m: Mapping; start: number; end: number } | undefined;
    for (const page of pages) {
      this.written.delete(page);
      if (this.space.takeWrittenPages(page, PAGE_SIZE).length === 0) continue;
      if (run !== undefined && run.end === page && page < run.m.end) {
        run.end += PAGE_SIZE;
        continue;
      }
      if (run !== undefined) this.writeRun(run.m, run.start, run.end);
      const m = this.space.find(page);
      run = m === undefined ? undefined : { m, start: page, end: page + PAGE_SIZE };
    }
    if (run !== undefined) this.writeRun(run.m, run.start, run.end);
  }

  private writeRun(m: Mapping, start: number, end: number): void {
    const { file } = m;
    if (file?.writeBack === undefined) return;
    const offset = m.fileOffset + (start - m.start);
    // What lies in the last page beyond the end of the file is not part of it.
    const length = Math.min(end - start, file.size - offset);
    const bytes = length > 0 ? this.space.peek(start, length) : null;
    if (bytes === null) return;
    this.space.witness?.writingBack(m, offset, bytes);
    file.writeBack(offset, bytes);
    const object = this.objects.of(file);
    for (const mapper of object.mappers) if (mapper !== this) mapper.forgetCopies(object, offset, end - start);
  }
}

function isSameFile(a: MappableFile, b: MappableFile | undefined): boolean {
  return b !== undefined && a.inode === b.inode && a.device === b.device;
}
