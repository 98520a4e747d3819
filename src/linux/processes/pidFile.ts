/** A descriptor of a process (pidfd): becomes ready when the process ends, and goes on meaning that process. */
import { E } from '../../base/errno.js';
import { AnonymousFile } from '../files/anonymousFile.js';
import { O, POLL } from '../files/fileConstants.js';
import type { Process } from '../process.js';

export class PidFile extends AnonymousFile {
  constructor(
    readonly process: Process,
    flags: number,
  ) {
    super('pidfd', O.RDWR | flags);
  }

  override read(): number {
    return -E.INVAL;
  }

  override write(): number {
    return -E.INVAL;
  }

  /** Whether it has ended, and its status was asked for. */
  get isReaped(): boolean {
    return this.hasEnded && this.process.family.parent?.family.children.includes(this.process) !== true;
  }

  override details(): string {
    const pid = this.isReaped ? -1 : this.process.pid;
    return `Pid:\t${pid}\nNSpid:\t${pid}\n`;
  }

  override poll(): number {
    return (this.hasEnded ? POLL.IN | POLL.RDNORM : 0) | (this.isReaped ? POLL.HUP : 0);
  }

  private get hasEnded(): boolean {
    const { process } = this;
    return process.exitStatus !== undefined && !process.world.processes.includes(process);
  }
}
