/** A descriptor opened with O_PATH: it names a place in the file system and can do nothing else. */
import { E } from '../../base/errno.js';
import type { BytePath } from '../../host/bytePath.js';
import type { Host, HostFd, HostStat } from '../../host/host.js';
import { S_IFDIR, S_IFMT } from './fileConstants.js';
import { OpenFile } from './openFile.js';

export class PathFile extends OpenFile {
  constructor(
    private readonly host: Host,
    private readonly fd: HostFd,
    path: BytePath,
    flags: number,
  ) {
    super(path, flags);
  }

  override get hostFd(): HostFd {
    return this.fd;
  }

  override get isDirectory(): boolean {
    const stat = this.stat();
    return typeof stat !== 'number' && (stat.mode & S_IFMT) === S_IFDIR;
  }

  override read(): number {
    return -E.BADF;
  }

  override write(): number {
    return -E.BADF;
  }

  override seek(): number {
    return -E.BADF;
  }

  override stat(): HostStat | number {
    return this.host.files.statFd(this.fd);
  }

  override peekEntry(): number {
    return -E.BADF;
  }

  override mappable(): number {
    return -E.BADF;
  }

  protected override close(): number {
    return this.host.files.close(this.fd);
  }
}
