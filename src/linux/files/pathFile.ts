/** A descriptor opened with O_PATH: it names a place in the file system and can do nothing else. */
import { E } from '../../base/errno.js';
import { S_IFDIR, S_IFMT } from './fileConstants.js';
import { HostBackedFile } from './hostBackedFile.js';

export class PathFile extends HostBackedFile {
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

  override truncate(): number {
    return -E.BADF;
  }

  override sync(): number {
    return -E.BADF;
  }

  override chmod(): number {
    return -E.BADF;
  }

  override chown(): number {
    return -E.BADF;
  }

  override setTimes(): number {
    return -E.BADF;
  }

  override peekEntry(): number {
    return -E.BADF;
  }

  override mappable(): number {
    return -E.BADF;
  }
}
