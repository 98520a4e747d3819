/**
 * Makes the files of a sandbox what the recorded program found: where the recording has other bytes than this machine,
 * or a file that is not here, the recording counts. Nothing outside of the sandbox is changed.
 */
import { bytePath } from '../../base/bytePath.js';
import { ElfError } from '../../elf/elfError.js';
import { ElfFile } from '../../elf/elfFile.js';
import { O, S_IFDIR, S_IFMT } from '../../base/fileConstants.js';
import type { HostFd, HostFiles } from '../../host/host.js';
import type { BlobSource } from '../play/playedObject.js';
import type { MappedFile, ReadFile, RecordedFiles } from './recordedFiles.js';

interface RestoredFiles {
  /** Paths whose contents are as they were, as far as the program looked at them. */
  readonly known: ReadonlySet<string>;
  /** In one line each: what could not be made as it was. */
  readonly remarks: readonly string[];
}

const PROGRAM_MODE = 0o755;
const PART = 1 << 20;

export function restoreFiles(files: HostFiles, recorded: RecordedFiles, blobs: BlobSource): RestoredFiles {
  return new Restoration(files, blobs).run(recorded);
}

/** With all directories above it. */
export function makeDirectories(files: HostFiles, path: string): void {
  const parts = path.split('/');
  if (typeof files.stat(bytePath(path), true) !== 'number') return;
  parts.forEach((_, i) => files.makeDirectory(bytePath(parts.slice(0, i + 1).join('/') || '/'), PROGRAM_MODE));
}

class Restoration {
  private readonly known = new Set<string>();
  private readonly remarks: string[] = [];

  constructor(
    private readonly files: HostFiles,
    private readonly blobs: BlobSource,
  ) {}

  run({ mapped, read, names, missing }: RecordedFiles): RestoredFiles {
    const { files } = this;
    const known = new Set([...mapped, ...read].map(({ path }) => path));
    for (const name of missing) {
      const stat = known.has(name) ? -1 : files.stat(bytePath(name), false);
      if (typeof stat !== 'number' && (stat.mode & S_IFMT) !== S_IFDIR) files.unlink(bytePath(name));
    }
    for (const file of mapped) this.mapped(file);
    for (const file of read) this.read(file);
    for (const { name, path } of names) this.link(name, path);
    this.linkInterpreters(mapped);
    return { known: this.known, remarks: this.remarks };
  }

  private mapped({ path, size, blob }: MappedFile): void {
    const bytes = new Uint8Array(size);
    this.blobs.read(blob, 0, bytes);
    this.known.add(path);
    if (this.sizeOf(path) === size && this.has(path, 0, bytes)) return;
    this.write(path, [{ offset: 0, bytes }], size, true);
  }

  private read({ path, parts, size }: ReadFile): void {
    if (parts.length === 0 && size !== 0) return;
    this.known.add(path);
    const here = this.sizeOf(path);
    if ((size === undefined ? here !== undefined : here === size) && parts.every(({ offset, bytes }) => this.has(path, offset, bytes))) return;
    const end = Math.max(0, ...parts.map(({ offset, bytes }) => offset + bytes.length));
    const isWhole = size !== undefined && reaches(parts, size);
    if (!isWhole) this.remarks.push(`${path} is not as it was, and the recording has only what was read of it`);
    this.write(path, parts, size ?? Math.max(end, here ?? 0), isWhole);
  }

  private sizeOf(path: string): number | undefined {
    const stat = this.files.stat(bytePath(path), true);
    return typeof stat === 'number' ? undefined : stat.size;
  }

  private has(path: string, offset: number, bytes: Uint8Array): boolean {
    const { files } = this;
    const fd = files.open(bytePath(path), O.RDONLY, 0);
    if (fd < 0) return false;
    const part = new Uint8Array(Math.min(PART, bytes.length));
    let at = 0;
    for (let count = 1; at < bytes.length && count > 0; at += count) {
      const wanted = bytes.subarray(at, at + part.length);
      count = files.read(fd as HostFd, part.subarray(0, wanted.length), offset + at);
      if (!isSame(part, wanted, count)) break;
    }
    files.close(fd as HostFd);
    return at >= bytes.length;
  }

  private write(path: string, parts: ReadFile['parts'], size: number, isWhole: boolean): void {
    const { files } = this;
    makeDirectories(files, path.slice(0, path.lastIndexOf('/')));
    const fd = files.open(bytePath(path), O.WRONLY | O.CREAT | (isWhole ? O.TRUNC : 0), PROGRAM_MODE);
    if (fd < 0) {
      this.remarks.push(`${path} cannot be made as it was`);
      return;
    }
    files.truncateFd(fd as HostFd, size);
    for (const { offset, bytes } of parts) {
      for (let done = 0, count = 1; done < bytes.length && count > 0; done += count) count = files.write(fd as HostFd, bytes.subarray(done), offset + done);
    }
    files.close(fd as HostFd);
  }

  /** Unless the name leads somewhere already. */
  private link(name: string, path: string): void {
    const { files } = this;
    if (this.sizeOf(name) !== undefined || this.sizeOf(path) === undefined) return;
    makeDirectories(files, name.slice(0, name.lastIndexOf('/')));
    files.symlink(bytePath(path), bytePath(name));
  }

  /** The kernel looks for them by the name that the program has for them. */
  private linkInterpreters(mapped: readonly MappedFile[]): void {
    const { files, blobs } = this;
    for (const { path, size, blob } of mapped) {
      const interpreter = interpreterOf(path, size, blobs, blob);
      const meant = interpreter === undefined ? undefined : mapped.find((one) => one.path.endsWith(interpreter.slice(interpreter.lastIndexOf('/'))));
      if (interpreter === undefined || meant === undefined) continue;
      const [found, wanted] = [files.stat(bytePath(interpreter), true), files.stat(bytePath(meant.path), true)];
      if (typeof wanted === 'number' || (typeof found !== 'number' && found.inode === wanted.inode && found.device === wanted.device)) continue;
      files.unlink(bytePath(interpreter));
      this.link(interpreter, meant.path);
    }
  }
}

function interpreterOf(path: string, size: number, blobs: BlobSource, blob: number): string | undefined {
  const bytes = new Uint8Array(size);
  blobs.read(blob, 0, bytes);
  try {
    return new ElfFile(path, bytes).interpreter;
  } catch (error) {
    if (error instanceof ElfError) return undefined;
    throw error;
  }
}

function isSame(part: Uint8Array, wanted: Uint8Array, count: number): boolean {
  if (count <= 0 || count > wanted.length) return false;
  for (let i = 0; i < count; i++) if (part[i] !== wanted[i]) return false;
  return true;
}

/** Whether the parts leave no gap up to `size`. */
function reaches(parts: ReadFile['parts'], size: number): boolean {
  let end = 0;
  for (const { offset, bytes } of parts.toSorted((a, b) => a.offset - b.offset)) {
    if (offset > end) break;
    end = Math.max(end, offset + bytes.length);
  }
  return end >= size;
}
