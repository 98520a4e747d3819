/**
 * What others do to files that the guest watches. The host tells that something about a name has changed, also
 * when it was the guest's own doing; so we compare what is there with how it was left when we last
 * looked, and conclude what may have happened.
 */
import { type BytePath, bytePath } from '../../host/bytePath.js';
import type { HostFiles, HostStat, TimeSpec } from '../../host/host.js';
import { S_IFMT, S_IFREG } from '../files/fileConstants.js';
import { type FileEvents, isDirectory, keyOf } from './fileEvents.js';
import { IN } from './inotifyFile.js';

const equalTimes = (a: TimeSpec, b: TimeSpec): boolean => a.seconds === b.seconds && a.nanoseconds === b.nanoseconds;

export class OutsideChanges {
  /** How we found or left it, by directory and name, or by file. */
  private readonly known = new Map<string, HostStat | 'absent'>();
  private readonly stops = new Map<string, () => void>();

  constructor(
    private readonly files: HostFiles,
    private readonly events: FileEvents,
    /** Something has come into a queue. */
    private readonly notify: () => void,
  ) {
    events.onUnwatched = (key) => this.stop(key);
  }

  /** Starts listening to what the host says about the file at `path`. */
  watch(path: BytePath, file: HostStat): void {
    const key = keyOf(file);
    if (this.stops.has(key)) return;
    const stop = this.files.watch(path, (name) => this.heard(path, file, name));
    // Where the host cannot tell, the guest's own changes are all that is seen.
    this.stops.set(key, typeof stop === 'number' ? () => {} : stop);
    if (!isDirectory(file)) this.known.set(key, file);
  }

  /** The guest itself has changed it. */
  note(path: BytePath, directory: HostStat | undefined, name: BytePath): void {
    const now = this.look(path);
    if (directory !== undefined && this.events.isWatched(directory)) this.known.set(entryKey(directory, name), now);
    if (now !== 'absent' && this.events.isWatched(now)) this.known.set(keyOf(now), now);
  }

  private stop(key: string): void {
    this.stops.get(key)?.();
    this.stops.delete(key);
    for (const known of [...this.known.keys()]) if (known === key || known.startsWith(`${key}/`)) this.known.delete(known);
  }

  private heard(path: BytePath, watched: HostStat, name: BytePath | undefined): void {
    const now = this.look(path);
    if (now === 'absent' || keyOf(now) !== keyOf(watched)) this.events.fileGone(watched);
    else if (!isDirectory(watched)) this.compare(keyOf(watched), now, undefined, bytePath(''));
    else if (name !== undefined) this.compare(entryKey(watched, name), this.look(bytePath(`${path}/${name}`)), watched, name);
    this.notify();
  }

  private compare(key: string, now: HostStat | 'absent', directory: HostStat | undefined, name: BytePath): void {
    const before = this.known.get(key);
    this.known.set(key, now);
    const file = now === 'absent' ? undefined : now;
    const subject = file ?? (typeof before === 'object' ? before : undefined);
    for (const mask of conclusions(before, now)) {
      this.events.emit({ mask, file, directory, name, isDirectory: subject !== undefined && isDirectory(subject) });
    }
  }

  private look(path: BytePath): HostStat | 'absent' {
    const stat = this.files.stat(path, false);
    return typeof stat === 'number' ? 'absent' : stat;
  }
}

function entryKey(directory: HostStat, name: BytePath): string {
  return `${keyOf(directory)}/${name}`;
}

/** What must have happened, as bits of IN one after the other. Who writes a file is assumed to have closed it. */
function conclusions(before: HostStat | 'absent' | undefined, now: HostStat | 'absent'): number[] {
  if (now === 'absent') return before === 'absent' ? [] : [IN.DELETE];
  const written = (now.mode & S_IFMT) === S_IFREG ? [IN.MODIFY, IN.CLOSE_WRITE] : [];
  if (before === undefined || before === 'absent') return [IN.CREATE, ...(now.size > 0 ? written : [])];
  if (keyOf(before) !== keyOf(now)) return [IN.MOVED_TO];
  if (before.size !== now.size || !equalTimes(before.modified, now.modified)) return written;
  return equalTimes(before.changed, now.changed) ? [] : [IN.ATTRIB];
}
