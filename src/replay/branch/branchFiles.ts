/** Files of a branch that stand for what the recorded run had open and we cannot open again. */
import { E } from '../../base/errno.js';
import { type BytePath, bytePath } from '../../base/bytePath.js';
import type { HostStat } from '../../host/host.js';
import { syntheticStat } from '../../linux/files/anonymousFile.js';
import { FdTable } from '../../linux/files/fdTable.js';
import { O, POLL, SEEK, S_IFREG } from '../../linux/files/fileConstants.js';
import { OpenFile } from '../../linux/files/openFile.js';
import { Pipe } from '../../linux/files/pipe.js';
import { Unsupported } from './unsupported.js';

/** A standard stream: what is written goes to the caller, what is read is what the recorded run read later. */
export class BranchStream extends OpenFile {
  private taken = 0;
  private found: Uint8Array | undefined;

  constructor(
    override readonly path: BytePath,
    flags: number,
    /** S_IF*. */
    private readonly type: number,
    /** Asked when it is first read: it takes long to find. */
    private readonly input: () => Uint8Array,
    private readonly output: (bytes: Uint8Array) => void,
    /** Of a file: where the recorded run was. */
    private offset: number,
  ) {
    super(flags);
  }

  override get position(): number {
    return this.offset;
  }

  private get bytes(): Uint8Array {
    this.found ??= this.input();
    return this.found;
  }

  override read(target: Uint8Array): number {
    const part = this.bytes.subarray(this.taken, this.taken + target.length);
    target.set(part);
    this.taken += part.length;
    this.offset += part.length;
    return part.length;
  }

  override write(bytes: Uint8Array): number {
    this.output(bytes.slice());
    this.offset += bytes.length;
    return bytes.length;
  }

  override seek(offset: number, whence: number): number {
    if (this.type !== S_IFREG) return -E.SPIPE;
    if (whence === SEEK.CUR && offset === 0) return this.offset;
    throw new Unsupported(`moving within ${this.path}, which the user gave to the recorded run`);
  }

  override stat(): HostStat {
    return syntheticStat({ mode: this.type | 0o600, device: 0xdn, size: this.type === S_IFREG ? this.offset : 0 });
  }

  override available(): number {
    return this.bytes.length - this.taken;
  }

  override poll(): number {
    return (this.readable ? POLL.IN | POLL.RDNORM : 0) | (this.writable ? POLL.OUT | POLL.WRNORM : 0);
  }

  override get canPoll(): boolean {
    return this.type !== S_IFREG;
  }
}

/** A pipe of whose contents only the beginning is known. A task that reads on ends the branch. */
export class HalfKnownPipe extends Pipe {
  private known: number;

  constructor(inode: bigint, size: number, beginning: Uint8Array, filled: number) {
    super(inode);
    this.resize(size);
    this.known = filled > beginning.length ? beginning.length : Infinity;
    this.put(beginning);
    this.put(new Uint8Array(filled - beginning.length));
  }

  override take(target: Uint8Array): number {
    const count = super.take(this.readable(target.length) === target.length ? target : target.subarray(0, this.known));
    this.known -= count;
    return count;
  }

  override peek(length: number): Uint8Array {
    return super.peek(this.readable(length));
  }

  private readable(length: number): number {
    if (this.known === 0 && length > 0) throw new Unsupported('what is in a pipe is not in the recording');
    return Math.min(length, this.known);
  }
}

/** Something whose state is not in the recording. It can be closed; a task that uses it ends the branch. */
export class UnknownFile extends OpenFile {
  constructor(
    readonly why: string,
    flags: number,
  ) {
    super(flags & ~O.CLOEXEC);
  }

  override get path(): BytePath {
    return bytePath(this.why);
  }

  override stat(): HostStat {
    throw new Unsupported(this.why);
  }
}

/** Descriptors some of which may be such files. */
export class BranchFdTable extends FdTable {
  override get(fd: number): OpenFile | undefined {
    const file = super.get(fd);
    if (file instanceof UnknownFile) throw new Unsupported(`descriptor ${fd} is ${file.why}`);
    return file;
  }

  protected override another(limit: () => number): FdTable {
    return new BranchFdTable(limit);
  }
}
