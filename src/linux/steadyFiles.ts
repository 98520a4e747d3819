/**
 * The host's files with the guest's time. The guest's clock falls behind the host's, because we are
 * slower than the processor; what the guest writes would carry times in its future, and programs that
 * compare times (make) would wonder. So a file that the guest has written gets the guest's time when
 * it is closed, and a time that is still ahead when it is looked at counts as just now. Times that are
 * not from this run were set on purpose and stay.
 */
import { O } from '../base/fileConstants.js';
import type { BytePath } from '../base/bytePath.js';
import type { HostFd, HostFiles, HostStat, TimeSpec } from '../host/host.js';

interface TwoClocks {
  guest(): TimeSpec;
  host(): TimeSpec;
  /** When the run began, by the host's clock. */
  readonly start: TimeSpec;
}

/** Seconds. File systems have a coarser clock, which lags behind. */
const SLACK = 1;

const S_IFMT = 0o170000;
const S_IFREG = 0o100000;

export function steadyFiles(files: HostFiles, clocks: TwoClocks): HostFiles {
  /** Open files whose time is perhaps not the guest's. */
  const written = new Set<HostFd>();
  const future = new FutureTimes(clocks);
  const shown = (stat: HostStat | number): HostStat | number => (typeof stat === 'number' ? stat : future.hide(stat));
  return Object.assign(Object.create(files) as HostFiles, {
    open(path: BytePath, flags: number, mode: number) {
      const fd = files.open(path, flags, mode);
      if (fd >= 0 && (flags & (O.CREAT | O.TRUNC)) !== 0) written.add(fd as HostFd);
      return fd;
    },
    write(fd: HostFd, bytes: Uint8Array, position?: number) {
      written.add(fd);
      return files.write(fd, bytes, position);
    },
    truncateFd(fd: HostFd, size: number) {
      written.add(fd);
      return files.truncateFd(fd, size);
    },
    setTimes(path: BytePath, accessed: TimeSpec, modified: TimeSpec, followLinks: boolean) {
      for (const fd of written) if (files.pathOfFd(fd) === path) written.delete(fd);
      return files.setTimes(path, accessed, modified, followLinks);
    },
    close(fd: HostFd) {
      if (written.delete(fd)) stamp(files, fd, clocks);
      return files.close(fd);
    },
    stat: (path: BytePath, followLinks: boolean) => shown(files.stat(path, followLinks)),
    statFd: (fd: HostFd) => shown(files.statFd(fd)),
  });
}

/** Gives a regular file the guest's time, unless it has a time of its own. */
function stamp(files: HostFiles, fd: HostFd, clocks: TwoClocks): void {
  const stat = files.statFd(fd);
  if (typeof stat === 'number' || (stat.mode & S_IFMT) !== S_IFREG) return;
  const [now, last] = [wholeMicroseconds(clocks.guest()), clocks.host()];
  const isOfThisRun = (time: TimeSpec): boolean => time.seconds >= clocks.start.seconds - SLACK && !isAfter(time, last);
  if (isOfThisRun(stat.modified)) files.setTimes(files.pathOfFd(fd), isOfThisRun(stat.accessed) ? now : wholeMicroseconds(stat.accessed), now, true);
}

/** Times of this run that the guest's clock has not reached yet. Who looks twice sees the same time twice. */
class FutureTimes {
  private readonly shown = new Map<string, TimeSpec>();

  constructor(private readonly clocks: TwoClocks) {}

  hide(stat: HostStat): HostStat {
    const now = this.clocks.guest();
    if (this.shown.size === 0 && ![stat.changed, stat.modified, stat.accessed].some((time) => isAfter(time, now))) return stat;
    const last = this.clocks.host();
    const seen = (time: TimeSpec): TimeSpec => {
      const key = `${stat.device}:${stat.inode}:${time.seconds}:${time.nanoseconds}`;
      const before = this.shown.get(key);
      if (before !== undefined || !isAfter(time, now) || isAfter(time, last)) return before ?? time;
      this.shown.set(key, now);
      return now;
    };
    return { ...stat, accessed: seen(stat.accessed), modified: seen(stat.modified), changed: seen(stat.changed), born: seen(stat.born) };
  }
}

/** The host sets finer times only with effort; file systems have coarser ones anyway. */
function wholeMicroseconds({ seconds, nanoseconds }: TimeSpec): TimeSpec {
  return { seconds, nanoseconds: nanoseconds - (nanoseconds % 1000) };
}

function isAfter(a: TimeSpec, b: TimeSpec): boolean {
  return a.seconds > b.seconds || (a.seconds === b.seconds && a.nanoseconds > b.nanoseconds);
}
