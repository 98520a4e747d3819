/** Files that have no place in the file system: pipes, event counters, memory files, generated text. */
import type { HostStat, TimeSpec } from '../../host/host.js';
import { OpenFile } from './openFile.js';
import { bytePath, type BytePath } from '../../base/bytePath.js';

const NEVER: TimeSpec = { seconds: 0, nanoseconds: 0 };

/** A stat of a file that is stored nowhere: the caller says what matters. */
export function syntheticStat(given: Partial<HostStat> & Pick<HostStat, 'mode'>): HostStat {
  return {
    device: 0xen, inode: 1n, links: 1, uid: 0, gid: 0, specialDevice: 0n, size: 0, blockSize: 4096, blocks: 0,
    accessed: NEVER, modified: NEVER, changed: NEVER, born: NEVER, ...given,
  };
}

/** `anon_inode:[eventfd]` and its kin. */
export abstract class AnonymousFile extends OpenFile {
  constructor(
    private readonly kind: string,
    flags: number,
  ) {
    super(flags);
  }

  override get path(): BytePath {
    return bytePath(`anon_inode:[${this.kind}]`);
  }

  override stat(): HostStat {
    return syntheticStat({ mode: 0o600 });
  }

  /** There is no position, and moving it is no error. */
  override seek(): number {
    return 0;
  }
}
