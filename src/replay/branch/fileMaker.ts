/** Opens again what the recorded run had open. */
import { bytePath } from '../../base/bytePath.js';
import type { Host } from '../../host/host.js';
import { Epoll } from '../../linux/files/epoll.js';
import { EventFd } from '../../linux/files/eventFd.js';
import { AT_FDCWD, O, SEEK, S_IFREG } from '../../linux/files/fileConstants.js';
import { MEMFD_DEVICE, MemFd } from '../../linux/files/memFd.js';
import { openHostFile } from '../../linux/files/openHostFile.js';
import type { OpenFile } from '../../linux/files/openFile.js';
import { type Pipe, PipeReader, PipeWriter } from '../../linux/files/pipe.js';
import { SignalFd } from '../../linux/files/signalFd.js';
import { TimerFd } from '../../linux/files/timerFd.js';
import type { Process } from '../../linux/process.js';
import { findProcess } from '../../linux/processes/groups.js';
import { PidFile } from '../../linux/processes/pidFile.js';
import { SOCK } from '../../linux/sockets/socketConstants.js';
import type { SavedStream } from '../../linux/sockets/streamState.js';
import { TcpSocket } from '../../linux/sockets/tcpSocket.js';
import { UnixConnection } from '../../linux/sockets/unixConnection.js';
import { currentSignals } from '../../linux/syscalls/eventFiles.js';
import { openPath } from '../../linux/syscalls/opening.js';
import type { Mapping } from '../../machine/mapping.js';
import type { FileFacts, WatchFacts } from '../log/kernelFacts.js';
import { PlayedObject } from '../play/playedObject.js';
import { BranchStream, HalfKnownPipe, UnknownFile } from './branchFiles.js';
import type { Ledger, LedgerFile } from '../log/ledger.js';
import { Unsupported } from './unsupported.js';

export interface FileMakerOptions {
  readonly host: Host;
  readonly ledger: Ledger;
  /** What the recorded run read later from a file. Takes as long as reading the rest of the log. */
  /** Files and memories that the recording knows the contents of. */
  readonly objects: ReadonlyMap<number, PlayedObject>;
  laterReads(isIt: (file: LedgerFile) => boolean, count?: number): Uint8Array;
  output(fd: number, bytes: Uint8Array): void;
  warn(line: string): void;
}

type Named = FileFacts & { readonly kind: 'named' };
type Inherited = FileFacts & { readonly kind: 'inherited' };

/** Flags that act at the moment of opening. */
const OPENING_FLAGS = O.CREAT | O.EXCL | O.TRUNC | O.NOCTTY;

export class FileMaker {
  private readonly made = new Map<number, OpenFile>();
  private readonly connected = new Set<PlayedObject>();
  private readonly pipes = new Map<number, Pipe>();
  /** By inode. */
  private readonly memories = new Map<number, MemFd>();

  constructor(private readonly options: FileMakerOptions) {}

  /** The same for all descriptors that refer to it. */
  file(process: Process, id: number): OpenFile {
    let file = this.made.get(id);
    if (file === undefined) this.made.set(id, (file = this.make(process, this.options.ledger.files.get(id) as LedgerFile)));
    return file;
  }

  /** A mapping through which a file is written: what is written is to be seen by who reads the file. */
  connect({ file: object, name, device, inode }: Mapping): void {
    if (!(object instanceof PlayedObject) || this.connected.has(object)) return;
    this.connected.add(object);
    const { options: { host, warn } } = this;
    const file = openHostFile(host, bytePath(name), O.RDWR, 0);
    const stat = typeof file === 'number' ? file : file.stat();
    if (typeof file === 'number' || typeof stat === 'number' || Number(stat.device) !== device || Number(stat.inode) !== inode) {
      warn(`${name} is mapped, and is not here any more: what is written to it is seen in memory only`);
      return;
    }
    const mappable = file.retain().mappable(true);
    if (typeof mappable === 'number') return;
    copyContents(object, file);
    object.become(mappable);
  }

  private make(process: Process, known: LedgerFile): OpenFile {
    const { facts, position } = known;
    switch (facts.kind) {
      case 'named':
        return this.open(process, facts, position);
      case 'inherited':
        return this.standardStream(process, facts, known);
      case 'pipe':
        return this.pipeEnd(facts);
      case 'event':
        return new EventFd(BigInt(facts.count), facts.semaphore, facts.flags & ~O.ACCMODE);
      case 'timer':
        return timer(process, facts);
      case 'signals':
        return new SignalFd(BigInt(facts.mask), facts.flags & ~O.ACCMODE, currentSignals(process));
      case 'process': {
        const target = findProcess(process.world, facts.pid);
        return target === undefined ? new UnknownFile(`process ${facts.pid}, which is gone`, facts.flags) : new PidFile(target, facts.flags & ~O.ACCMODE);
      }
      case 'memory':
        return this.memory(facts, position);
      case 'stream':
        return this.stream(process, facts, known);
      case 'epoll':
        return this.epoll(process, facts.watches);
      case 'other':
        return new UnknownFile(`something that cannot be made again (${facts.path})`, facts.flags);
    }
  }

  /** With all that it is connected with. */
  private stream(process: Process, { socket, flags, inode }: FileFacts & { readonly kind: 'stream' }, { id, position }: LedgerFile): OpenFile {
    const waiting = this.waitingAt(id, position, socket.kind.type);
    if (waiting === undefined) return new UnknownFile('a socket with something in it that the recording does not have', flags);
    const { network } = process.world;
    const made: SavedStream = socket.tcp === undefined ? new UnixConnection(network, socket.kind, socket.creator) : new TcpSocket(network, socket.kind, socket.creator);
    Object.assign(made, { flags, inode: BigInt(inode) });
    this.made.set(id, made as SavedStream & OpenFile);
    made.fill(socket, (other) => {
      const found = this.file(process, other);
      if (found instanceof UnknownFile) throw new Unsupported(`a socket is connected with ${found.why}`);
      return found as OpenFile & SavedStream;
    });
    if (waiting.length > 0) made.put(waiting);
    return made;
  }

  /** What waits to be read from a socket; undefined if that is not known. */
  private waitingAt(socket: number, size: number, type: number): Uint8Array | undefined {
    if (size === 0) return new Uint8Array();
    // Where messages begin is not noted.
    if (type !== SOCK.STREAM) return undefined;
    const bytes = this.options.ledger.sockets.content(socket) ?? this.options.laterReads(({ id }) => id === socket, size);
    return bytes.length === size ? bytes : undefined;
  }

  /** All that are open of the same one share it with those who have mapped it. */
  private memory({ path, flags, inode, seals, permissions }: FileFacts & { readonly kind: 'memory' }, position: number): OpenFile {
    let whole = this.memories.get(inode);
    if (whole === undefined) {
      const object = [...this.options.objects.values()].find((one) => one.device === MEMFD_DEVICE && one.inode === inode);
      if (object === undefined) return new UnknownFile(`${path}, whose contents are not in the recording`, flags);
      whole = MemFd.restore(bytePath(path), { inode: BigInt(inode), seals, permissions, bytes: object.copy() });
      object.become(whole.bytes);
      this.memories.set(inode, whole);
    }
    const file = whole.reopen(flags);
    if (typeof file === 'number') return new UnknownFile(path, flags);
    file.seek(position, SEEK.SET);
    return file;
  }

  private epoll(process: Process, watches: readonly WatchFacts[]): OpenFile {
    const epoll = new Epoll();
    for (const { file, fd, events, data } of watches) {
      const watched = this.file(process, file);
      if (watched instanceof UnknownFile) return new UnknownFile(`an epoll that watches ${watched.why}`, 0);
      epoll.add(fd, watched, events, BigInt(data));
      // A watch for one event that has come does not look any more.
      Object.assign(epoll.list().at(-1) ?? {}, { events });
    }
    return epoll;
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

  private standardStream(process: Process, facts: Inherited, known: LedgerFile): OpenFile {
    if (facts.type === S_IFREG && (facts.flags & O.ACCMODE) === O.RDONLY) {
      const file = this.open(process, facts, known.position);
      if (!(file instanceof UnknownFile)) return file;
    }
    const input = (): Uint8Array => this.options.laterReads((file) => file.id === known.id);
    return new BranchStream(bytePath(facts.path), facts.flags, facts.type, input, (bytes) => this.options.output(facts.fd, bytes), known.position);
  }

  private pipeEnd({ pipe: inode, writes, flags, size }: FileFacts & { readonly kind: 'pipe' }): OpenFile {
    let pipe = this.pipes.get(inode);
    if (pipe === undefined) this.pipes.set(inode, (pipe = new HalfKnownPipe(BigInt(inode), size, this.contentOf(inode), this.options.ledger.pipes.filled(inode))));
    return writes ? new PipeWriter(pipe, flags & ~O.ACCMODE) : new PipeReader(pipe, flags & ~O.ACCMODE);
  }

  /** What is in it, or the beginning of that. */
  private contentOf(pipe: number): Uint8Array {
    const { pipes } = this.options.ledger;
    return pipes.content(pipe) ?? this.options.laterReads(({ facts }) => facts.kind === 'pipe' && facts.pipe === pipe, pipes.filled(pipe));
  }
}

function timer({ clock }: Process, { clock: id, next, interval, flags }: FileFacts & { readonly kind: 'timer' }): TimerFd {
  const file = new TimerFd(clock, id, flags & ~O.ACCMODE);
  file.arm(next ?? Infinity, interval);
  return file;
}

const PART = 1 << 20;

/** The file has what the recording says from now on, whatever it had. */
function copyContents(from: PlayedObject, to: OpenFile): void {
  const { size } = from;
  to.truncate(size);
  for (let at = 0; at < size; at += PART) {
    const part = new Uint8Array(Math.min(PART, size - at));
    from.read(at, part);
    to.writeAt(part, at);
  }
}
