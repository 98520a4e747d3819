/**
 * What others do to files that the guest watches. The host tells that something about a name has changed, also
 * when it was the guest's own doing; so we compare what is there with how it was left when we last
 * looked, and conclude what may have happened.
 */
import { type BytePath, bytePath } from '../../base/bytePath.js';
import type { FileVersion, HostFd, HostFiles, HostStat } from '../../host/host.js';
import { O, S_IFMT, S_IFREG } from '../files/fileConstants.js';
import { type FileEvents, isDirectory, keyOf } from './fileEvents.js';
import { IN } from './inotifyFile.js';

/** A file as we have seen it. */
interface Sight {
  readonly stat: HostStat;
  readonly version: FileVersion;
}

export class OutsideChanges {
  /** How we found or left it, by directory and name, or by file. */
  private readonly known = new Map<string, Sight | 'absent'>();
  /** By file: where it is now, and how to stop listening. */
  private readonly listening = new Map<string, { path: BytePath; readonly stop: () => void }>();

  constructor(
    private readonly files: HostFiles,
    private readonly events: FileEvents,
    /** Whether a guest has the file open. */
    private readonly isOpen: (key: string) => boolean,
    /** Something has come into a queue. */
    private readonly notify: () => void,
  ) {
    events.onUnwatched = (key) => this.stop(key);
  }

  /** Starts listening to what the host says about the file at `path`. */
  watch(path: BytePath, file: HostStat): void {
    const key = keyOf(file);
    if (this.listening.has(key)) return;
    const stop = this.files.watch(path, (name) => this.heard(key, file, name));
    // Where the host cannot tell, the guest's own changes are all that is seen.
    this.listening.set(key, { path: realPath(this.files, path), stop: typeof stop === 'number' ? () => {} : stop });
    if (!isDirectory(file)) this.known.set(key, this.look(path));
  }

  /** The guest itself has changed it. */
  note(path: BytePath, directory: HostStat | undefined, name: BytePath): void {
    const now = this.look(path);
    if (directory !== undefined && this.events.isWatched(directory)) this.known.set(entryKey(directory, name), now);
    if (now !== 'absent' && this.events.isWatched(now.stat)) this.known.set(keyOf(now.stat), now);
  }

  /** The guest has renamed something: what we listen to may be elsewhere now. Both are real paths. */
  moved(from: BytePath, to: BytePath): void {
    for (const listener of this.listening.values()) {
      const { path } = listener;
      if (path === from || path.startsWith(`${from}/`)) listener.path = bytePath(to + path.slice(from.length));
    }
  }

  private stop(key: string): void {
    this.listening.get(key)?.stop();
    this.listening.delete(key);
    for (const known of [...this.known.keys()]) if (known === key || known.startsWith(`${key}/`)) this.known.delete(known);
  }

  private heard(key: string, watched: HostStat, name: BytePath | undefined): void {
    const path = this.listening.get(key)?.path;
    if (path === undefined) return;
    const now = this.look(path);
    if (now === 'absent' || keyOf(now.stat) !== key) {
      // Without a name it lives on while it is open, and that is not for others to end.
      if (!this.isOpen(key)) this.events.fileGone(watched);
    } else if (!isDirectory(watched)) this.compare(keyOf(watched), now, undefined, bytePath(''));
    else if (name !== undefined) this.compare(entryKey(watched, name), this.look(bytePath(`${path}/${name}`)), watched, name);
    this.notify();
  }

  private compare(key: string, now: Sight | 'absent', directory: HostStat | undefined, name: BytePath): void {
    const before = this.known.get(key);
    this.known.set(key, now);
    const file = now === 'absent' ? undefined : now.stat;
    const subject = file ?? (typeof before === 'object' ? before.stat : undefined);
    for (const mask of conclusions(before, now)) {
      this.events.emit({ mask, file, directory, name, isDirectory: subject !== undefined && isDirectory(subject) });
    }
  }

  private look(path: BytePath): Sight | 'absent' {
    const [stat, version] = [this.files.stat(path, false), this.files.version(path)];
    return typeof stat === 'number' || typeof version === 'number' ? 'absent' : { stat, version };
  }
}

/** The path without links, whether there is anything at its end or not. */
export function realPath(files: HostFiles, path: BytePath): BytePath {
  const bare = path.replace(/\/+$/, '');
  const whole = linkTarget(files, bytePath(bare));
  if (whole !== undefined) return whole;
  const slash = bare.lastIndexOf('/');
  const directory = linkTarget(files, bytePath(slash < 0 ? '.' : bare.slice(0, slash + 1)));
  return directory === undefined ? path : bytePath(`${directory}/${bare.slice(slash + 1)}`);
}

function linkTarget(files: HostFiles, path: BytePath): BytePath | undefined {
  const fd = files.open(path, O.PATH | O.NOFOLLOW | O.CLOEXEC, 0);
  if (fd < 0) return undefined;
  const target = files.readLink(files.pathOfFd(fd as HostFd));
  files.close(fd as HostFd);
  return typeof target === 'number' ? undefined : target;
}

function entryKey(directory: HostStat, name: BytePath): string {
  return `${keyOf(directory)}/${name}`;
}

/** What must have happened, as bits of IN one after the other. Who writes a file is assumed to have closed it. */
function conclusions(before: Sight | 'absent' | undefined, now: Sight | 'absent'): number[] {
  if (now === 'absent') return before === 'absent' ? [] : [IN.DELETE];
  const written = (now.stat.mode & S_IFMT) === S_IFREG ? [IN.MODIFY, IN.CLOSE_WRITE] : [];
  if (before === undefined || before === 'absent') return [IN.CREATE, ...(now.stat.size > 0 ? written : [])];
  if (before.version.identity !== now.version.identity) return [IN.MOVED_TO];
  if (before.version.content !== now.version.content) return written;
  return before.version.attributes === now.version.attributes ? [] : [IN.ATTRIB];
}
