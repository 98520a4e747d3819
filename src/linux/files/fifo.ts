/**
 * Named pipes. Those that the guest has made carry their bytes inside the guest, by the inode of the
 * host's FIFO, so that it is our scheduler who decides who reads what when; others belong to a process
 * outside, and are streams of the host.
 *
 * Opening waits for a partner, as open(2) does: see OpenFile.hasPartner.
 */
import type { Budget } from '../../base/budget.js';
import { E } from '../../base/errno.js';
import type { BytePath } from '../../base/bytePath.js';
import type { Host, HostStat } from '../../host/host.js';
import { O, POLL, S_IFIFO, S_IFMT } from './fileConstants.js';
import { OpenFile } from './openFile.js';
import { Pipe, PipeReader, PipeWriter } from './pipe.js';

/** How often each side has been opened: a partner may have come and gone again. */
class Fifo {
  readerOpens = 0;
  writerOpens = 0;
  private current: Pipe;

  constructor(
    private readonly inode: bigint,
    private readonly budget: Budget,
  ) {
    this.current = new Pipe(inode, budget);
  }

  /** What was not read when the last end was closed is lost. */
  get pipe(): Pipe {
    if (this.current.ends.size === 0) this.current = new Pipe(this.inode, this.budget);
    return this.current;
  }
}

interface Opening {
  readonly fifo: Fifo;
  readonly path: BytePath;
  readonly stat: HostStat;
  readonly flags: number;
}

const REMEMBERED_FLAGS = O.NONBLOCK | O.APPEND | O.LARGEFILE;

/** The FIFOs that the guest has made. */
export class Fifos {
  private readonly byIdentity = new Map<string, Fifo>();

  constructor(private readonly budget: Budget) {}

  /** A FIFO has been made at `path`. */
  note(host: Host, path: BytePath): void {
    const stat = host.files.stat(path, false);
    if (typeof stat !== 'number') this.byIdentity.set(identity(stat), new Fifo(stat.inode, this.budget));
  }

  /** Opens `path` if it is one of them; undefined if it is something else. */
  open(host: Host, path: BytePath, flags: number): OpenFile | number | undefined {
    const isolated = host.isolated === true;
    if ((this.byIdentity.size === 0 && !isolated) || (flags & O.PATH) !== 0) return undefined;
    const stat = host.files.stat(path, (flags & O.NOFOLLOW) === 0);
    if (typeof stat === 'number' || (stat.mode & S_IFMT) !== S_IFIFO) return undefined;
    if (isolated && !this.byIdentity.has(identity(stat))) this.byIdentity.set(identity(stat), new Fifo(stat.inode, this.budget));
    const fifo = this.byIdentity.get(identity(stat));
    if (fifo === undefined) return undefined;
    if ((flags & O.CREAT) !== 0 && (flags & O.EXCL) !== 0) return -E.EXIST;
    if ((flags & O.DIRECTORY) !== 0) return -E.NOTDIR;
    const access = flags & O.ACCMODE;
    const needed = access === O.RDONLY ? R_OK : access === O.WRONLY ? W_OK : R_OK | W_OK;
    const denied = host.files.access(path, needed);
    if (denied < 0) return denied;
    return !fifo.pipe.hasRoom ? -E.NFILE : openEnd({ fifo, path, stat, flags });
  }
}

const R_OK = 4;
const W_OK = 2;

function identity(stat: HostStat): string {
  return `${stat.device}:${stat.inode}`;
}

function openEnd(opening: Opening): OpenFile | number {
  const { fifo, flags } = opening;
  switch (flags & O.ACCMODE) {
    case O.RDONLY:
      return new FifoReader(opening);
    case O.WRONLY:
      return (flags & O.NONBLOCK) !== 0 && fifo.pipe.readers === 0 ? -E.NXIO : new FifoWriter(opening);
    default:
      return new FifoBothEnds(opening);
  }
}

class FifoReader extends PipeReader {
  private readonly writersBefore: number;

  constructor(private readonly opening: Opening) {
    super(opening.fifo.pipe, opening.flags & REMEMBERED_FLAGS);
    this.writersBefore = opening.fifo.writerOpens;
    opening.fifo.readerOpens++;
  }

  override get path(): BytePath {
    return this.opening.path;
  }

  override stat(): HostStat {
    return this.opening.stat;
  }

  override hasPartner(): boolean {
    return this.pipe.writers > 0 || this.opening.fifo.writerOpens > this.writersBefore;
  }

  /** No end hangs up before one was there. */
  override poll(): number {
    return this.hasPartner() ? super.poll() : super.poll() & ~POLL.HUP;
  }
}

class FifoWriter extends PipeWriter {
  private readonly readersBefore: number;

  constructor(private readonly opening: Opening) {
    super(opening.fifo.pipe, opening.flags & REMEMBERED_FLAGS);
    this.readersBefore = opening.fifo.readerOpens;
    opening.fifo.writerOpens++;
  }

  override get path(): BytePath {
    return this.opening.path;
  }

  override stat(): HostStat {
    return this.opening.stat;
  }

  override hasPartner(): boolean {
    return this.pipe.readers > 0 || this.opening.fifo.readerOpens > this.readersBefore;
  }
}

/** Opened for reading and writing: no other end is needed. */
class FifoBothEnds extends OpenFile {
  private readonly reader: FifoReader;
  private readonly writer: FifoWriter;

  constructor(private readonly opening: Opening) {
    super((opening.flags & REMEMBERED_FLAGS) | O.RDWR);
    this.reader = new FifoReader(opening).retain();
    this.writer = new FifoWriter(opening).retain();
  }

  override get path(): BytePath {
    return this.opening.path;
  }

  override stat(): HostStat {
    return this.opening.stat;
  }

  override read(target: Uint8Array): number {
    return this.reader.read(target);
  }

  override write(bytes: Uint8Array): number {
    return this.writer.write(bytes);
  }

  override poll(): number {
    return this.reader.poll() | this.writer.poll();
  }

  override available(): number {
    return this.reader.available();
  }

  protected override close(): number {
    this.reader.release();
    this.writer.release();
    return 0;
  }
}
