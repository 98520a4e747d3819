/** eventfd(2): a counter that is read and written as a 64-bit number. */
import { E } from '../../base/errno.js';
import { AnonymousFile } from './anonymousFile.js';
import { O, POLL } from './fileConstants.js';

const LARGEST = 0xffff_ffff_ffff_fffen;

export class EventFd extends AnonymousFile {
  constructor(
    public count: bigint,
    readonly semaphore: boolean,
    flags: number,
  ) {
    super('eventfd', O.RDWR | flags);
  }

  override get announcesReadiness(): boolean {
    return true;
  }

  override read(target: Uint8Array): number {
    if (target.length < 8) return -E.INVAL;
    if (this.count === 0n) return -E.AGAIN;
    const taken = this.semaphore ? 1n : this.count;
    this.count -= taken;
    new DataView(target.buffer, target.byteOffset).setBigUint64(0, taken, true);
    this.wake(POLL.OUT);
    return 8;
  }

  override write(bytes: Uint8Array): number {
    if (bytes.length !== 8) return -E.INVAL;
    const added = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true);
    if (added > LARGEST) return -E.INVAL;
    if (this.count + added > LARGEST) return -E.AGAIN;
    this.count += added;
    this.wake(POLL.IN);
    return 8;
  }

  override details(): string {
    return `eventfd-count: ${this.count.toString(16).padStart(16)}\neventfd-id: 1\neventfd-semaphore: ${this.semaphore ? 1 : 0}\n`;
  }

  override poll(): number {
    return (this.count > 0n ? POLL.IN : 0) | (this.count < LARGEST ? POLL.OUT : 0);
  }
}
