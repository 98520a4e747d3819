/** What a thread has read and written, as /proc/PID/io shows it. */
import { SYSCALL_NAMES } from '../../base/syscallNames.js';

const READS = ['read', 'pread64', 'readv', 'preadv', 'preadv2', 'sendfile', 'copy_file_range'];
const WRITES = ['write', 'pwrite64', 'writev', 'pwritev', 'pwritev2', 'sendfile', 'copy_file_range'];
const [IS_READ, IS_WRITE] = [1, 2];

/** By number of the call. */
const KINDS = Uint8Array.from(SYSCALL_NAMES, (name) => (
  name === undefined ? 0 : (READS.includes(name) ? IS_READ : 0) | (WRITES.includes(name) ? IS_WRITE : 0)
));

export class IoCounters {
  readBytes = 0;
  writtenBytes = 0;
  reads = 0;
  writes = 0;

  /** A system call has ended. */
  note(number: number, result: number): void {
    const kind = KINDS[number] ?? 0;
    if (kind === 0) return;
    const bytes = Math.max(0, result);
    if ((kind & IS_READ) !== 0) {
      this.reads++;
      this.readBytes += bytes;
    }
    if ((kind & IS_WRITE) !== 0) {
      this.writes++;
      this.writtenBytes += bytes;
    }
  }

  /** Adds others to these. */
  plus(others: IoCounters): this {
    this.readBytes += others.readBytes;
    this.writtenBytes += others.writtenBytes;
    this.reads += others.reads;
    this.writes += others.writes;
    return this;
  }
}
