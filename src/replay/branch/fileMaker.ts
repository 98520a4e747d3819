/** Opens again what the recorded run had open. */
import { bytePath } from '../../host/bytePath.js';
import { EventFd } from '../../linux/files/eventFd.js';
import { AT_FDCWD, O, SEEK, S_IFREG } from '../../linux/files/fileConstants.js';
import type { OpenFile } from '../../linux/files/openFile.js';
import { Pipe, PipeReader, PipeWriter } from '../../linux/files/pipe.js';
import type { Process } from '../../linux/process.js';
import { openPath } from '../../linux/syscalls/opening.js';
import type { FileFacts } from '../log/kernelFacts.js';
import { BranchStream, UnknownFile } from './branchFiles.js';
import type { Ledger, LedgerFile } from './ledger.js';

export interface FileMakerOptions {
  readonly ledger: Ledger;
  /** What the recorded run read from a stream later. */
  laterInput(file: LedgerFile): Uint8Array;
  output(fd: number, bytes: Uint8Array): void;
  warn(line: string): void;
}

type Named = FileFacts & { readonly kind: 'named' };
type Inherited = FileFacts & { readonly kind: 'inherited' };

/** Flags that act at the moment of opening. */
const OPENING_FLAGS = O.CREAT | O.EXCL | O.TRUNC | O.NOCTTY;

export class FileMaker {
  private readonly made = new Map<number, OpenFile>();
  private readonly pipes = new Map<number, Pipe>();

  constructor(private readonly options: FileMakerOptions) {}

  /** The same for all descriptors that refer to it. */
  file(process: Process, id: number): OpenFile {
    let file = this.made.get(id);
    if (file === undefined) this.made.set(id, (file = this.make(process, this.options.ledger.files.get(id) as LedgerFile)));
    return file;
  }

  private make(process: Process, known: LedgerFile): OpenFile {
    const { facts, position } = known;
    switch (facts.kind) {
      case 'named':
        return this.open(process, facts, position);
      case 'inherited':
        return this.stream(process, facts, known);
      case 'pipe':
        return this.pipeEnd(facts);
      case 'event':
        return new EventFd(BigInt(facts.count), facts.semaphore, facts.flags & ~O.ACCMODE);
      case 'other':
        return new UnknownFile(`something that cannot be made again (${facts.path})`, facts.flags);
    }
  }

  private open(process: Process, facts: Named | Inherited, position: number): OpenFile {
    const file = openPath(process, AT_FDCWD, bytePath(facts.path), facts.flags & ~OPENING_FLAGS, 0);
    if (typeof file === 'number') return new UnknownFile(`${facts.path}, which is not here any more`, facts.flags);
    if (facts.kind === 'named') this.checkIdentity(file, facts);
    if (position !== 0) file.seek(position, SEEK.SET);
    return file;
  }

  private checkIdentity(file: OpenFile, { path, device, inode }: Named): void {
    const stat = file.stat();
    if (device === 0 || typeof stat === 'number' || (Number(stat.device) === device && Number(stat.inode) === inode)) return;
    this.options.warn(`${path} is another file than it was`);
  }

  private stream(process: Process, facts: Inherited, known: LedgerFile): OpenFile {
    if (facts.type === S_IFREG && (facts.flags & O.ACCMODE) === O.RDONLY) {
      const file = this.open(process, facts, known.position);
      if (!(file instanceof UnknownFile)) return file;
    }
    const input = (facts.flags & O.ACCMODE) === O.WRONLY ? new Uint8Array(0) : this.options.laterInput(known);
    return new BranchStream(bytePath(facts.path), facts.flags, facts.type, input, (bytes) => this.options.output(facts.fd, bytes), known.position);
  }

  private pipeEnd({ pipe: inode, writes, flags, size }: FileFacts & { readonly kind: 'pipe' }): OpenFile {
    let pipe = this.pipes.get(inode);
    if (pipe === undefined) {
      this.pipes.set(inode, (pipe = new Pipe(BigInt(inode))));
      pipe.resize(size);
      const content = this.options.ledger.pipes.content(inode);
      if (content !== undefined) pipe.put(content);
    }
    if (!writes && this.options.ledger.pipes.content(inode) === undefined) return new UnknownFile('a pipe with something in it that the recording does not have', flags);
    return writes ? new PipeWriter(pipe, flags & ~O.ACCMODE) : new PipeReader(pipe, flags & ~O.ACCMODE);
  }
}
