/**
 * Signal-driven input and output (O_ASYNC): the owner of a file hears by a signal when something has happened to it,
 * SIGIO or the one that F_SETSIG chose, which then tells more.
 */
import { maySignal } from '../credentials.js';
import { O, POLL } from '../files/fileConstants.js';
import type { OpenFile } from '../files/openFile.js';
import type { ReadinessWatcher } from '../files/readiness.js';
import type { Process } from '../process.js';
import { findProcess, groupMembers } from '../processes/groups.js';
import type { World } from '../world.js';
import { kernelInfo, pollInfo, type SigInfo } from './siginfo.js';
import { SIG } from '../../base/signalNumbers.js';

/** si_code, and the events that si_band shows. */
const NEWS = {
  input: { code: 1, events: POLL.IN | POLL.RDNORM },
  output: { code: 2, events: POLL.OUT | POLL.WRNORM | 0x200 },
  error: { code: 4, events: POLL.ERR },
  urgent: { code: 5, events: POLL.PRI | 0x80 },
  hangUp: { code: 6, events: POLL.HUP | POLL.ERR },
} as const;

export class IoSignals {
  private readonly watched = new WeakMap<OpenFile, IoSignal>();

  constructor(private readonly world: World) {}

  /** The flags of the file, which has this number, have changed. */
  update(file: OpenFile, fd: number): void {
    const old = this.watched.get(file);
    if (old !== undefined) file.unwatchReadiness(old);
    this.watched.delete(file);
    if ((file.flags & O.ASYNC) === 0) return;
    const watcher = new IoSignal(this.world, file, fd);
    this.watched.set(file, watcher);
    file.watchReadiness(watcher);
  }
}

class IoSignal implements ReadinessWatcher {
  readonly exclusive = false;

  constructor(
    private readonly world: World,
    private readonly file: OpenFile,
    private readonly fd: number,
  ) {}

  woken(events: number): boolean {
    const news = this.newsOf(events);
    if (news === undefined || this.file.owner === 0) return false;
    for (const owner of this.owners().filter((one) => this.mayTell(one))) owner.signals.send(this.info(news), 'process');
    return false;
  }

  fileClosed(): void {}

  private newsOf(events: number): keyof typeof NEWS | undefined {
    const { readable, writable } = this.file;
    if ((events & POLL.PRI) !== 0) return 'urgent';
    if ((events & POLL.IN) !== 0) return readable ? 'input' : undefined;
    if ((events & POLL.OUT) !== 0) return writable ? 'output' : undefined;
    if ((events & POLL.ERR) !== 0) return 'error';
    if ((events & POLL.HUP) !== 0) return 'hangUp';
    // The other end of a pipe is gone, or something like that.
    return readable ? 'input' : 'output';
  }

  private owners(): Process[] {
    const { owner } = this.file;
    if (owner < 0) return groupMembers(this.world, -owner);
    const process = findProcess(this.world, owner) ?? this.world.tasks.find((task) => task.tid === owner)?.process;
    return process === undefined || process.exitStatus !== undefined ? [] : [process];
  }

  private mayTell(owner: Process): boolean {
    const { ownerSetBy } = this.file;
    return ownerSetBy === undefined || ownerSetBy.effective === 0 || maySignal(ownerSetBy, owner.credentials.user);
  }

  private info(news: keyof typeof NEWS): SigInfo {
    const { ownerSignal } = this.file;
    return ownerSignal === 0 ? kernelInfo(SIG.IO) : pollInfo(ownerSignal, NEWS[news].code, NEWS[news].events, this.fd);
  }
}
