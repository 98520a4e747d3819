/**
 * Who watches which file (by device and inode), and the telling of what happens. What the guest itself does comes
 * from ObservedFiles; what others do comes from the host, which says only that something about a name has
 * changed (outsideChanges.ts makes the best of that).
 */
import type { BytePath } from '../../base/bytePath.js';
import type { HostStat } from '../../host/host.js';
import { S_IFDIR, S_IFMT } from '../files/fileConstants.js';
import { IN, type InotifyWatch } from './inotifyFile.js';

/** What is happening to a file. */
interface FileEvent {
  /** Bits of IN. */
  readonly mask: number;
  /** The file itself; undefined if only its directory hears of it. */
  readonly file: HostStat | undefined;
  readonly directory: HostStat | undefined;
  readonly name: BytePath;
  readonly isDirectory: boolean;
  readonly cookie?: number;
}

export function keyOf(stat: HostStat): string {
  return `${stat.device}:${stat.inode}`;
}

export function isDirectory(stat: HostStat): boolean {
  return (stat.mode & S_IFMT) === S_IFDIR;
}

export class FileEvents {
  private readonly watches = new Map<string, Set<InotifyWatch>>();
  private nextCookie = 1;
  /** Called when the last watch of a file is gone. */
  onUnwatched: (key: string) => void = () => {};

  /** Whether anybody watches anything: nearly always false, and then nothing here costs anything. */
  get isActive(): boolean {
    return this.watches.size > 0;
  }

  watch(watch: InotifyWatch): void {
    const ofFile = this.watches.get(watch.key) ?? new Set<InotifyWatch>();
    this.watches.set(watch.key, ofFile.add(watch));
  }

  unwatch(watch: InotifyWatch): void {
    const ofFile = this.watches.get(watch.key);
    ofFile?.delete(watch);
    if (ofFile?.size !== 0) return;
    this.watches.delete(watch.key);
    this.onUnwatched(watch.key);
  }

  isWatched(stat: HostStat | number | undefined): boolean {
    return typeof stat === 'object' && this.watches.has(keyOf(stat));
  }

  /** Whether a watch wants to hear of such events at all. */
  wants(mask: number): boolean {
    for (const ofFile of this.watches.values()) {
      for (const watch of ofFile) if ((watch.mask & mask) !== 0) return true;
    }
    return false;
  }

  /** Ties the two halves of a move together. */
  takeCookie(): number {
    return this.nextCookie++;
  }

  /** The directory hears first, with the name; then the file itself. */
  emit({ mask, file, directory, name, isDirectory: ofDirectory, cookie = 0 }: FileEvent): void {
    const full = (mask | (ofDirectory ? IN.ISDIR : 0)) >>> 0;
    if (directory !== undefined) {
      const unlinked = file?.links === 0;
      for (const watch of this.of(directory)) {
        if (!unlinked || (watch.mask & IN.EXCL_UNLINK) === 0) watch.instance.report(watch, full, cookie, name);
      }
    }
    if (file !== undefined) for (const watch of this.of(file)) watch.instance.report(watch, full, cookie, undefined);
  }

  /** The file is no more: its watches end. */
  fileGone(file: HostStat): void {
    for (const watch of this.of(file)) {
      watch.instance.report(watch, IN.DELETE_SELF, 0, undefined);
      watch.instance.remove(watch.number);
    }
  }

  private of(stat: HostStat): InotifyWatch[] {
    return [...(this.watches.get(keyOf(stat)) ?? [])];
  }
}
