/**
 * Terminals, pipes, sockets and character devices of the host: bytes in order, no offset.
 *
 * No other task may be stopped while one waits for them, but Node cannot make a descriptor
 * non-blocking, nor ask whether it is ready. So what was not opened by us is opened a second time with
 * O_NONBLOCK, and poll reads ahead into a buffer: having bytes is the one sure sign of readiness.
 */
import { E } from '../../base/errno.js';
import type { Host, HostFd, TerminalAttributes } from '../../host/host.js';
import { O, POLL } from './fileConstants.js';
import { HostBackedFile } from './hostBackedFile.js';
import type { TerminalFile } from './openFile.js';

const READ_AHEAD_SIZE = 4096;
const RETRY_MILLISECONDS = 1;

export class StreamFile extends HostBackedFile implements TerminalFile {
  private readonly isTerminal: boolean;
  /** Non-blocking descriptors for reading and writing, as soon as they are needed. */
  private readonly nonBlockingFds: [HostFd | 'none' | undefined, HostFd | 'none' | undefined] = [undefined, undefined];
  /** A FIFO that was opened for reading: no process has been seen at its other end yet. */
  private awaitsWriter: boolean;
  private readAhead = new Uint8Array(0);
  private atEnd = false;

  constructor(
    host: Host,
    fd: HostFd,
    flags: number,
    /** Plain devices (/dev/null, /dev/zero) never make anybody wait. */
    private readonly alwaysReady: boolean,
    /** How the guest has opened it, if it was not there before: then the descriptor itself is non-blocking. */
    private readonly opened?: 'fifo' | 'other',
  ) {
    super(host, fd, flags);
    this.awaitsWriter = opened === 'fifo' && !this.writable;
    this.isTerminal = host.terminal.isTerminal(fd);
  }

  override get canPoll(): boolean {
    return !this.alwaysReady;
  }

  override get isExternal(): boolean {
    return !this.alwaysReady;
  }

  override get readStopsAll(): boolean {
    return !this.alwaysReady && this.readAhead.length === 0 && this.nonBlockingFd(O.RDONLY) === undefined;
  }

  override get terminal(): TerminalFile | undefined {
    return this.isTerminal ? this : undefined;
  }

  override read(target: Uint8Array, mayBlock: boolean): number {
    const count = this.readNow(target, mayBlock);
    if (count >= 0 && this.readAhead.length === 0) this.hasTaken(POLL.IN | POLL.RDNORM);
    return count;
  }

  private readNow(target: Uint8Array, mayBlock: boolean): number {
    if (this.readAhead.length > 0) return this.takeAhead(target);
    if (this.atEnd) {
      this.atEnd = false;
      return 0;
    }
    if (this.alwaysReady) return this.host.files.read(this.fd, target);
    if (mayBlock) return this.insisting(() => this.host.files.read(this.fd, target));
    return this.host.files.read(this.nonBlockingFd(O.RDONLY) ?? this.fd, target);
  }

  override write(bytes: Uint8Array, mayBlock = false): number {
    if (this.alwaysReady) return this.host.files.write(this.fd, bytes);
    if (mayBlock) return this.insisting(() => this.host.files.write(this.fd, bytes));
    return this.host.files.write(this.nonBlockingFd(O.WRONLY) ?? this.fd, bytes);
  }

  override hasPartner(): boolean {
    if (!this.awaitsWriter) return true;
    // Without anybody who could write, reading finds the end.
    this.awaitsWriter = !this.fillAhead() && this.atEnd;
    this.atEnd = false;
    return !this.awaitsWriter;
  }

  override readAt(target: Uint8Array): number {
    return this.alwaysReady ? this.host.files.read(this.fd, target) : -E.SPIPE;
  }

  override writeAt(bytes: Uint8Array): number {
    return this.alwaysReady ? this.host.files.write(this.fd, bytes) : -E.SPIPE;
  }

  override seek(): number {
    return this.alwaysReady ? 0 : -E.SPIPE;
  }

  override poll(): number {
    if (this.alwaysReady) return super.poll();
    const output = this.writable ? POLL.OUT | POLL.WRNORM : 0;
    if (!this.readable) return output;
    if (this.fillAhead()) return output | POLL.IN | POLL.RDNORM;
    if (!this.atEnd) return output;
    return output | (this.isTerminal ? POLL.IN | POLL.RDNORM : POLL.HUP);
  }

  override available(): number {
    this.fillAhead();
    return this.readAhead.length;
  }

  override sync(): number {
    return -E.INVAL;
  }

  attributes(): TerminalAttributes | number {
    return this.host.terminal.attributes(this.fd);
  }

  setAttributes(attributes: TerminalAttributes): number {
    return this.host.terminal.setAttributes(this.fd, attributes);
  }

  windowSize(): { rows: number; columns: number } | number {
    return this.host.terminal.windowSize(this.fd);
  }

  protected override close(): number {
    for (const fd of this.nonBlockingFds) if (typeof fd === 'number') this.host.files.close(fd);
    return super.close();
  }

  /** Also where the descriptor is non-blocking. */
  private insisting(transfer: () => number): number {
    for (;;) {
      const count = transfer();
      if (count !== -E.AGAIN) return count;
      this.host.clock.sleepBlocking(RETRY_MILLISECONDS);
    }
  }

  private takeAhead(target: Uint8Array): number {
    const count = Math.min(target.length, this.readAhead.length);
    target.set(this.readAhead.subarray(0, count));
    this.readAhead = this.readAhead.subarray(count);
    return count;
  }

  /** Whether there is something to read now. */
  private fillAhead(): boolean {
    if (this.readAhead.length > 0) return true;
    // Ctrl-D on a terminal is read once: a second look must not take it for the reader.
    if (this.atEnd && this.isTerminal) return false;
    const fd = this.nonBlockingFd(O.RDONLY);
    // Where the host will not open it again (sockets), claim readiness: the read may then wait.
    if (fd === undefined) return true;
    const buffer = new Uint8Array(READ_AHEAD_SIZE);
    const count = this.host.files.read(fd, buffer);
    if (count > 0) this.readAhead = buffer.subarray(0, count);
    else this.atEnd = count === 0;
    // Whether it was read empty in between cannot be seen from outside.
    if (count > 0) this.wake(POLL.IN | POLL.RDNORM);
    return count > 0;
  }

  /** Undefined where the host will not open it again (sockets). */
  private nonBlockingFd(access: 0 | 1): HostFd | undefined {
    if (this.opened !== undefined) return this.fd;
    if (this.nonBlockingFds[access] === undefined) {
      const flags = access | O.NONBLOCK | O.NOCTTY | O.CLOEXEC;
      const fd = this.host.files.open(this.host.files.pathOfFd(this.fd), flags, 0);
      this.nonBlockingFds[access] = fd < 0 ? 'none' : (fd as HostFd);
    }
    const fd = this.nonBlockingFds[access];
    return fd === 'none' ? undefined : fd;
  }
}
