/**
 * What a recorded run changed in the file system, by name. A branch sees the files as they are now, after the whole
 * run; what was done after the branch had left is to be undone where that is possible, and to be told where it is not.
 */
import { O, S_IFREG } from '../../base/fileConstants.js';
import { bytePath } from '../../base/bytePath.js';
import type { HostFiles } from '../../host/host.js';
import { GPR, RAX, RDI, RDX, RSI, type Slot } from '../../layout/cpuState.js';
import { SYSCALL_NAMES } from '../../base/syscallNames.js';
import type { EventLog, LogPlace } from '../log/eventLog.js';
import type { RecordedEvent } from '../log/events.js';
import type { FileFacts } from '../log/kernelFacts.js';
import { isBefore, Ledger, type LedgerCall, parseFacts } from '../log/ledger.js';

type FileChange =
  | { readonly kind: 'made'; readonly path: string }
  | { readonly kind: 'moved'; readonly path: string; readonly from: string }
  /** Something was written behind its end, which was there. */
  | { readonly kind: 'grown'; readonly path: string; readonly size: number }
  /** Deleted, cut or written to: what it was is lost. */
  | { readonly kind: 'changed' | 'deleted'; readonly path: string };

interface PlacedChange {
  /** Everything before the event that made it. */
  readonly place: LogPlace;
  readonly change: FileChange;
}

/** Which argument is a path, and which (if any) the descriptor of the directory that it starts from. */
type PathArgument = readonly [path: number, directory?: number];

const MAKING: Readonly<Record<string, PathArgument>> = {
  mkdir: [0], mkdirat: [1, 0], symlink: [1], symlinkat: [2, 1], link: [1], linkat: [3, 2], mknod: [0], mknodat: [1, 0],
};
const DELETING: Readonly<Record<string, PathArgument>> = { unlink: [0], unlinkat: [1, 0], rmdir: [0] };
const MOVING: Readonly<Record<string, readonly [PathArgument, PathArgument]>> = {
  rename: [[0], [1]], renameat: [[1, 0], [3, 2]], renameat2: [[1, 0], [3, 2]],
};
/** Which argument is the file that is written to. */
const WRITING: Readonly<Record<string, number>> = {
  write: 0, writev: 0, pwrite64: 0, pwritev: 0, pwritev2: 0, sendfile: 0, ftruncate: 0, fallocate: 0, copy_file_range: 2, splice: 2,
};
const ARGUMENTS: readonly Slot[] = [RDI, RSI, RDX, GPR[10] as Slot, GPR[8] as Slot, GPR[9] as Slot];
const PLAIN_WRITES: ReadonlySet<string> = new Set(['write', 'writev']);
const AT_FDCWD = -100;
const UNKNOWN = 'a file whose name is too long for the recording';

export class FileChanges {
  private readonly all: PlacedChange[] = [];
  private readonly ledger = new Ledger();
  /** Sizes of files that the run has made and written one byte after the other, by file. */
  private readonly sizes = new Map<number, number>();

  /** Reads the whole log, once. */
  constructor(private readonly log: EventLog) {
    const cursor = log.cursor();
    for (;;) {
      const { place } = cursor;
      const event = cursor.next();
      if (event === undefined) break;
      this.look(event, (change) => this.add(place, change));
      this.ledger.add(event);
    }
  }

  /** In order. */
  after(place: LogPlace): FileChange[] {
    return this.all.filter((one) => !isBefore(this.log, one.place, place)).map(({ change }) => change);
  }

  private add(place: LogPlace, change: FileChange): void {
    if (change.path.endsWith(' (deleted)')) return;
    const last = this.all.at(-1);
    // It is enough to know the last time.
    if (change.kind === 'changed' && last?.change.kind === 'changed' && last.change.path === change.path) this.all.pop();
    this.all.push({ place, change });
  }

  private look(event: RecordedEvent, add: (change: FileChange) => void): void {
    for (const effect of event.effects) {
      if (effect.op === 'facts' && effect.subject === 'file') this.opened(parseFacts(effect.facts) as FileFacts, effect.id, add);
      if (effect.op === 'result' && effect.result >= 0) this.done(effect.task, effect.result, event, add);
    }
  }

  private opened(facts: FileFacts, id: number, add: (change: FileChange) => void): void {
    if (facts.kind !== 'named' || this.ledger.files.has(id)) return;
    if (facts.isNew) {
      add({ kind: 'made', path: facts.path });
      this.sizes.set(id, 0);
    } else if ((facts.flags & O.ACCMODE) !== O.RDONLY && facts.type === S_IFREG) add({ kind: 'changed', path: facts.path });
  }

  private done(task: number, result: number, event: RecordedEvent, add: (change: FileChange) => void): void {
    const call = event.task === task && event.stop === 'syscall' ? callOf(event) : this.ledger.tasks.get(task)?.call;
    if (call === undefined) return;
    const name = SYSCALL_NAMES[call.number] ?? '';
    const written = WRITING[name];
    if (written !== undefined) this.written(task, call, written, result, add);
    else if (result === 0) this.named(task, call, name, add);
  }

  private written(task: number, call: LedgerCall, argument: number, count: number, add: (change: FileChange) => void): void {
    const file = this.ledger.fileOf(task, argumentOf(call, argument));
    if (file?.facts.kind !== 'named' || file.facts.type !== S_IFREG) return;
    const size = this.sizes.get(file.id);
    if (PLAIN_WRITES.has(SYSCALL_NAMES[call.number] ?? '') && file.position === size) {
      add({ kind: 'grown', path: file.facts.path, size });
      this.sizes.set(file.id, size + count);
      return;
    }
    this.sizes.delete(file.id);
    add({ kind: 'changed', path: file.facts.path });
  }

  private named(task: number, call: LedgerCall, name: string, add: (change: FileChange) => void): void {
    const path = (argument: PathArgument): string => this.path(task, call, argument);
    const [making, deleting, moving] = [MAKING[name], DELETING[name], MOVING[name]];
    if (making !== undefined) add({ kind: 'made', path: path(making) });
    else if (deleting !== undefined) add({ kind: 'deleted', path: path(deleting) });
    else if (moving !== undefined) add({ kind: 'moved', from: path(moving[0]), path: path(moving[1]) });
    else if (name === 'truncate') add({ kind: 'changed', path: path([0]) });
  }

  private path(task: number, call: LedgerCall, [index, directory]: PathArgument): string {
    const registers = new DataView(call.registers.buffer, call.registers.byteOffset);
    const address = Number(registers.getBigUint64((ARGUMENTS[index] as Slot).offset, true));
    const content = call.inputs.find((input) => input.address === address)?.content;
    if (content === undefined || typeof content === 'number') return UNKNOWN;
    const path = String.fromCharCode(...content.subarray(0, content.indexOf(0)));
    return path.startsWith('/') ? path : `${this.directory(task, directory === undefined ? AT_FDCWD : argumentOf(call, directory))}/${path}`;
  }

  private directory(task: number, fd: number): string {
    if (fd !== AT_FDCWD) {
      const facts = this.ledger.fileOf(task, fd)?.facts;
      return facts?.kind === 'named' ? facts.path : '';
    }
    return this.ledger.processes.get(this.ledger.tasks.get(task)?.facts.process ?? 0)?.facts.workingDirectory ?? '';
  }
}

/** An int. */
function argumentOf({ registers }: LedgerCall, index: number): number {
  return new DataView(registers.buffer, registers.byteOffset).getInt32((ARGUMENTS[index] as Slot).offset, true);
}

function callOf({ registers, effects }: RecordedEvent): LedgerCall {
  const number = new DataView(registers.buffer, registers.byteOffset).getUint32(RAX.offset, true);
  return { number, registers, since: 0, inputs: effects.filter((effect) => effect.op === 'input') };
}

/**
 * Makes files what they were before the changes, the last one first. The result are those for which that cannot be
 * done.
 */
export function undoChanges(files: HostFiles, changes: readonly FileChange[]): Set<string> {
  const lost = new Set<string>();
  for (const change of changes.toReversed()) {
    const path = bytePath(change.path);
    if (change.kind === 'made') {
      // What was done to it meanwhile has gone with it.
      lost.delete(change.path);
      if (files.unlink(path) < 0) files.removeDirectory(path);
    } else if (change.kind === 'moved') {
      if (files.rename(path, bytePath(change.from)) < 0) lost.add(change.from);
      // Perhaps there was something else before.
      lost.add(change.path);
    } else if (change.kind === 'grown') files.truncate(path, change.size);
    else lost.add(change.path);
  }
  return lost;
}
