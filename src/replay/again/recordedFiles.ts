/**
 * What a recording knows of the file system as the program found it: contents of files that were mapped or read, by
 * path, names that were not there, and which names lead to which files. What the program itself has written does not
 * belong to it.
 */
import { E } from '../../base/errno.js';
import { O, S_IFREG } from '../../base/fileConstants.js';
import type { Effect } from '../log/effects.js';
import type { FileFacts } from '../log/kernelFacts.js';
import { type Ledger, parseFacts } from '../log/ledger.js';
import type { CallListener, CallResult, RecordedCall, Segment } from './callResults.js';

/** A file that was mapped: its contents are in the recording as a whole. */
export interface MappedFile {
  readonly path: string;
  readonly size: number;
  readonly blob: number;
}

/** A file of which parts were read. */
export interface ReadFile {
  readonly path: string;
  readonly parts: { readonly offset: number; readonly bytes: Uint8Array }[];
  /** Known if a read came to its end, or the program asked. */
  size: number | undefined;
}

/** A name that leads to a file by links. */
interface FileName {
  readonly name: string;
  readonly path: string;
}

export interface RecordedFiles {
  readonly mapped: readonly MappedFile[];
  readonly read: readonly ReadFile[];
  readonly names: readonly FileName[];
  /** Names that nothing was to be found by. */
  readonly missing: ReadonlySet<string>;
}

/** Which arguments are a path and the descriptor of the directory that it starts from. */
const LOOKING: Readonly<Record<string, readonly [path: number, directory?: number]>> = {
  open: [0], openat: [1, 0], openat2: [1, 0], access: [0], faccessat: [1, 0], faccessat2: [1, 0], stat: [0], lstat: [0], newfstatat: [1, 0], statx: [1, 0], execve: [0], readlink: [0],
};
const OPENING: ReadonlySet<string> = new Set(['open', 'openat', 'openat2']);
const AT_FDCWD = -100;
const STAT_SIZE = { BYTES: 144, AT: 48 } as const;
const IOVEC = 16;

export class FileSurvey implements CallListener {
  private readonly mapped = new Map<string, MappedFile>();
  private readonly read = new Map<string, ReadFile>();
  private readonly names = new Map<string, FileName>();
  private readonly missing = new Set<string>();
  /** What the program may have written to, or made. */
  private readonly touched = new Set<string>();

  found(): RecordedFiles {
    const { mapped, read, names, missing } = this;
    return { mapped: [...mapped.values()], read: [...read.values()].filter(({ path }) => !mapped.has(path)), names: [...names.values()], missing };
  }

  event({ known, effects }: { readonly known: readonly Effect[]; readonly effects: readonly Effect[] }): void {
    for (const effect of [...known, ...effects]) {
      if (effect.op === 'facts' && effect.subject === 'file') this.opened(parseFacts(effect.facts) as FileFacts);
      if (effect.op === 'object' && effect.blob !== 0 && effect.path.startsWith('/') && !this.touched.has(effect.path) && !this.mapped.has(effect.path)) {
        const { path, size, blob } = effect;
        this.mapped.set(path, { path, size, blob });
      }
    }
  }

  returned(returned: CallResult): void {
    const { call, result, ledger } = returned;
    const looking = LOOKING[call.name];
    if (looking !== undefined) this.looked(call, looking, result, ledger);
    if (call.name === 'rename' && result === 0) for (const index of [0, 1]) this.touch(call, [index], ledger);
    if (call.name.startsWith('renameat') && result === 0) for (const arguments_ of [[1, 0], [3, 2]] as const) this.touch(call, arguments_, ledger);
    if ((call.name === 'mkdir' || call.name === 'symlink' || call.name === 'link') && result === 0) this.touch(call, [call.name === 'mkdir' ? 0 : 1], ledger);
    const path = regularPath(call);
    if (path === undefined || this.touched.has(path)) return;
    if ((call.name === 'fstat' || (call.name === 'newfstatat' && call.path(1) === '')) && result === 0) this.measured(path, returned);
    const place = readPlace(call);
    if (place === undefined || result < 0) return;
    const file = this.fileAt(path);
    if (result === 0) {
      if (place.segments.some(({ length }) => length > 0)) file.size = Math.min(file.size ?? Infinity, place.offset);
      return;
    }
    const bytes = returned.stored(cut(place.segments, result));
    if (bytes !== undefined) file.parts.push({ offset: place.offset, bytes });
  }

  private opened(facts: FileFacts): void {
    if (facts.kind === 'named' && (facts.isNew || (facts.flags & O.ACCMODE) !== O.RDONLY)) this.touched.add(facts.path);
  }

  private looked(call: RecordedCall, argument: readonly [path: number, directory?: number], result: number, ledger: Ledger): void {
    const name = absolute(call, argument, ledger);
    if (name === undefined || this.touched.has(name)) return;
    if (result === -E.NOENT && !this.names.has(name)) this.missing.add(name);
    if (result < 0 || !OPENING.has(call.name)) return;
    const facts = ledger.fileOf(call.task, result)?.facts;
    if (facts?.kind === 'named' && facts.path !== name && !this.touched.has(facts.path)) this.names.set(name, { name, path: facts.path });
  }

  private touch(call: RecordedCall, argument: readonly [path: number, directory?: number], ledger: Ledger): void {
    const name = absolute(call, argument, ledger);
    if (name !== undefined) this.touched.add(name);
  }

  private measured(path: string, { call, stored }: CallResult): void {
    const bytes = stored([{ address: call.argument(call.name === 'fstat' ? 1 : 2), length: STAT_SIZE.BYTES }]);
    const file = this.fileAt(path);
    if (bytes !== undefined) file.size ??= Number(new DataView(bytes.buffer, bytes.byteOffset).getBigInt64(STAT_SIZE.AT, true));
  }

  private fileAt(path: string): ReadFile {
    let file = this.read.get(path);
    if (file === undefined) this.read.set(path, (file = { path, parts: [], size: undefined }));
    return file;
  }
}

function regularPath({ file }: RecordedCall): string | undefined {
  const facts = file?.facts;
  if ((facts?.kind !== 'named' && facts?.kind !== 'inherited') || facts.type !== S_IFREG || !facts.path.startsWith('/')) return undefined;
  // What we play ourselves is as it was.
  return /^\/(?:proc|dev|sys)(?:\/|$)/.test(facts.path) ? undefined : facts.path;
}

/** Where in the file it reads, and where to; undefined if it does not read. */
function readPlace(call: RecordedCall): { readonly offset: number; readonly segments: readonly Segment[] } | undefined {
  const plain = (): Segment[] => [{ address: call.argument(1), length: call.argument(2) }];
  switch (call.name) {
    case 'read':
      return { offset: call.position, segments: plain() };
    case 'pread64':
      return { offset: call.argument(3), segments: plain() };
    case 'readv':
      return { offset: call.position, segments: vectors(call) };
    case 'preadv':
      return { offset: call.argument(3), segments: vectors(call) };
    default:
      return undefined;
  }
}

function vectors(call: RecordedCall): Segment[] {
  const bytes = call.input(call.argument(1));
  if (bytes === undefined) return [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: Math.floor(bytes.length / IOVEC) }, (_, i) => ({ address: Number(view.getBigUint64(i * IOVEC, true)), length: Number(view.getBigUint64(i * IOVEC + 8, true)) }));
}

/** The first `count` bytes of them. */
function cut(segments: readonly Segment[], count: number): Segment[] {
  let left = count;
  return segments.map(({ address, length }) => {
    const part = { address, length: Math.min(length, left) };
    left -= part.length;
    return part;
  });
}

function absolute(call: RecordedCall, [index, directory]: readonly [path: number, directory?: number], ledger: Ledger): string | undefined {
  const path = call.path(index);
  if (path === undefined || path === '') return undefined;
  if (path.startsWith('/')) return path;
  const fd = directory === undefined ? AT_FDCWD : call.int(directory);
  const process = ledger.processes.get(ledger.tasks.get(call.task)?.facts.process ?? 0);
  const facts = fd === AT_FDCWD ? undefined : ledger.fileOf(call.task, fd)?.facts;
  const start = fd === AT_FDCWD ? process?.facts.workingDirectory : facts?.kind === 'named' ? facts.path : undefined;
  return start === undefined ? undefined : `${start}/${path.replace(/^(?:\.\/+)+/, '')}`;
}
