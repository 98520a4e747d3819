/** What all files of the host have in common: a descriptor there, and everything that follows from it. */
import { bytePath, type BytePath } from '../../base/bytePath.js';
import type { Host, HostFd, HostStat, TimeSpec } from '../../host/host.js';
import { OpenFile } from './openFile.js';

export abstract class HostBackedFile extends OpenFile {
  private openedPath: BytePath | undefined;

  constructor(
    protected readonly host: Host,
    protected readonly fd: HostFd,
    flags: number,
  ) {
    super(flags);
  }

  override get hostFd(): HostFd {
    return this.fd;
  }

  /** Asked of the host each time: the file may have been renamed or deleted. */
  override get path(): BytePath {
    const link = this.host.files.readLink(this.host.files.pathOfFd(this.fd));
    return typeof link === 'number' ? bytePath('') : link;
  }

  override get knownPath(): BytePath {
    this.openedPath ??= this.path;
    return this.openedPath;
  }

  override stat(): HostStat | number {
    return this.host.files.statFd(this.fd);
  }

  override chmod(mode: number): number {
    return this.host.files.chmod(this.host.files.pathOfFd(this.fd), mode);
  }

  override chown(uid: number, gid: number): number {
    return this.host.files.chown(this.host.files.pathOfFd(this.fd), uid, gid, true);
  }

  override setTimes(accessed: TimeSpec, modified: TimeSpec): number {
    return this.host.files.setTimes(this.host.files.pathOfFd(this.fd), accessed, modified, true);
  }

  protected override close(): number {
    return this.host.files.close(this.fd);
  }
}
