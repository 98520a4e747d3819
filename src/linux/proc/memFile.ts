/**
 * /proc/PID/mem and /proc/PID/pagemap: the memory of a process of the guest as a file whose offsets are addresses. What
 * is mapped can be read and written whatever its permissions, as debuggers need it; a private page that is read-only
 * becomes the process's own copy. What is not mapped is EIO.
 */
import { E } from '../../base/errno.js';
import { PAGE_SIZE, pageFloor, USER_SPACE_END } from '../../base/types.js';
import type { BytePath } from '../../base/bytePath.js';
import type { HostStat } from '../../host/host.js';
import { type Mapping, PROT } from '../../machine/addressSpace.js';
import { SEEK } from '../files/fileConstants.js';
import { OpenFile } from '../files/openFile.js';
import type { Process } from '../process.js';

/** A file of /proc whose bytes are not made all at once, and that has a position. */
abstract class PositionedFile extends OpenFile {
  private place = 0;

  constructor(
    override readonly path: BytePath,
    flags: number,
    private readonly fixedStat: HostStat,
  ) {
    super(flags);
  }

  override get position(): number {
    return this.place;
  }

  override get canPoll(): boolean {
    return false;
  }

  override stat(): HostStat {
    return this.fixedStat;
  }

  override read(target: Uint8Array): number {
    const count = this.readAt(target, this.place);
    if (count > 0) this.place += count;
    return count;
  }

  override write(bytes: Uint8Array): number {
    const count = this.writeAt(bytes, this.place);
    if (count > 0) this.place += count;
    return count;
  }

  override seek(offset: number, whence: number): number {
    if (whence !== SEEK.SET && whence !== SEEK.CUR) return -E.INVAL;
    const place = whence === SEEK.CUR ? this.place + offset : offset;
    if (place < 0) return -E.INVAL;
    this.place = place;
    return place;
  }
}

interface MemoryOwner {
  readonly of: Process;
  /** Who has opened it: memory that both share is brought up to date. */
  readonly by: Process;
}

export class MemFile extends PositionedFile {
  /** execve gives a process other memory, and this file goes on meaning the one that it was opened for. */
  private readonly memory: Process['memory'];

  constructor(
    path: BytePath,
    flags: number,
    stat: HostStat,
    private readonly whose: MemoryOwner,
  ) {
    super(path, flags, stat);
    this.memory = whose.of.memory;
  }

  override readAt(target: Uint8Array, offset: number): number {
    return this.pieces(target.length, offset, (address, length, at) => {
      const bytes = this.peek(address, length);
      if (bytes === undefined) return false;
      target.set(bytes, at);
      return true;
    });
  }

  override writeAt(bytes: Uint8Array, offset: number): number {
    // They may lie in the memory that is written to.
    const copy = bytes.slice();
    return this.pieces(copy.length, offset, (address, length, at) => this.poke(address, copy.subarray(at, at + length)));
  }

  /** Goes from page to page as long as `move` can; how many bytes that were, or EIO. */
  private pieces(length: number, offset: number, move: (address: number, length: number, at: number) => boolean): number {
    const { of, by } = this.whose;
    if (length === 0 || of.exitStatus !== undefined || of.memory !== this.memory) return 0;
    if (of !== by) by.memory.sharedFiles.publish();
    let at = 0;
    while (at < length) {
      const address = offset + at;
      const piece = Math.min(length - at, pageFloor(address) + PAGE_SIZE - address);
      if (address >= USER_SPACE_END || !move(address, piece, at)) break;
      at += piece;
    }
    if (of !== by) of.memory.sharedFiles.publish();
    return at > 0 ? at : -E.IO;
  }

  private peek(address: number, length: number): Uint8Array | undefined {
    const { space } = this.memory;
    const bytes = space.peek(address, length);
    if (bytes !== null) return bytes;
    // What cannot be accessed has no memory behind it as long as it was never anything else.
    const m = space.find(space.mappedAddress(address));
    return m !== undefined && m.prot === PROT.NONE && m.file === undefined ? new Uint8Array(length) : undefined;
  }

  private poke(address: number, bytes: Uint8Array): boolean {
    const { space } = this.memory;
    const m = space.find(space.mappedAddress(address));
    if (m === undefined || (m.shared && (m.prot & PROT.WRITE) === 0)) return false;
    return space.poke(address, bytes);
  }
}

const ENTRY_SIZE = 8;
const PRESENT = 1n << 63n;
const OF_FILE_OR_SHARED = 1n << 61n;

/**
 * A word for each page: whether it is there. Where in the machine's memory it is, only root may know, and there is no
 * such place.
 */
export class PagemapFile extends PositionedFile {
  constructor(
    path: BytePath,
    flags: number,
    stat: HostStat,
    private readonly of: Process,
  ) {
    super(path, flags, stat);
  }

  override readAt(target: Uint8Array, offset: number): number {
    if (offset % ENTRY_SIZE !== 0 || target.length % ENTRY_SIZE !== 0) return -E.INVAL;
    if (this.of.exitStatus !== undefined) return 0;
    const first = offset / ENTRY_SIZE;
    const count = Math.max(0, Math.min(target.length / ENTRY_SIZE, USER_SPACE_END / PAGE_SIZE - first));
    const view = new DataView(target.buffer, target.byteOffset, count * ENTRY_SIZE);
    for (let i = 0; i < count; i++) view.setBigUint64(i * ENTRY_SIZE, this.entry((first + i) * PAGE_SIZE), true);
    return count * ENTRY_SIZE;
  }

  private entry(page: number): bigint {
    const { space } = this.of;
    const m = space.find(page);
    if (m === undefined || !space.isResident(page)) return 0n;
    return isOfFileOrShared(m) ? PRESENT | OF_FILE_OR_SHARED : PRESENT;
  }
}

/** Pages that are the process's own count as anonymous, also where they began as a file's. */
export function isOfFileOrShared(m: Mapping): boolean {
  return m.shared || (m.file !== undefined && (m.prot & PROT.WRITE) === 0 && m.accounted !== true);
}
