/**
 * The controlling terminal of the guest: whose it is, and which group is in the foreground. The host's
 * own idea is left alone: for the host we are one process in one group. Ctrl-C comes to us, and we pass it
 * on (outsideSignals.ts).
 */
import { E } from '../../base/errno.js';
import type { Host } from '../../host/host.js';
import type { Process } from '../process.js';
import { ERESTART } from '../signals/restart.js';
import { kernelInfo } from '../signals/siginfo.js';
import { SIG, contains } from '../../base/signalNumbers.js';
import { groupMembers, isOrphanedGroup } from './groups.js';

export class ControllingTerminal {
  /** The session whose terminal it is; 0 if it belongs to no session. */
  private session: number;
  /** Undefined until the guest sets it: as the host has it. */
  private chosenGroup: number | undefined;

  constructor(private readonly host: Host) {
    this.session = host.identity.session;
  }

  get foregroundGroup(): number {
    return this.chosenGroup ?? this.host.terminal.foregroundGroup();
  }

  /** What the guest itself has put into the foreground. */
  get chosenForeground(): number | undefined {
    return this.chosenGroup;
  }

  belongsTo(p: Process): boolean {
    return p.credentials.session === this.session;
  }

  /** TIOCSCTTY. */
  take(p: Process, steal: boolean): number {
    const { session, processGroup } = p.credentials;
    if (session === this.session) return 0;
    if (session !== p.pid) return -E.PERM;
    const owned = [...p.world.processes].some((other) => other.credentials.session === this.session);
    if (owned && !(steal && p.credentials.privileged)) return -E.PERM;
    this.session = session;
    this.chosenGroup = processGroup;
    return 0;
  }

  /** TIOCNOTTY: only a session's leader gives it up for all. */
  giveUp(p: Process): number {
    if (!this.belongsTo(p)) return -E.NOTTY;
    if (p.credentials.session === p.pid) this.session = 0;
    return 0;
  }

  /** TIOCSPGRP. */
  setForeground(p: Process, group: number): number {
    if (!this.belongsTo(p)) return -E.NOTTY;
    const waiting = this.checkBackground(p, SIG.TTOU);
    if (waiting !== 0) return waiting;
    if (group < 0) return -E.INVAL;
    const members = groupMembers(p.world, group);
    if (members.length === 0) return -E.SRCH;
    if (!members.some((member) => this.belongsTo(member))) return -E.PERM;
    this.chosenGroup = group;
    return 0;
  }

  /**
   * A process in the background wants to use the terminal: its group is stopped with `signal`, and the
   * call is made again when it is continued. 0 if it may go on.
   */
  checkBackground(p: Process, signal: number): number {
    const { processGroup } = p.credentials;
    if (!this.belongsTo(p) || processGroup === this.foregroundGroup) return 0;
    // Where the host has us in the background, the host stops us, if there is no other process that it would not stop.
    if (this.chosenGroup === undefined && (p.host.job === undefined || p.world.processes.length === 1)) return 0;
    const { actions } = p.signals.process;
    if (contains(p.task.signals.blocked, signal) || actions.ignoresByChoice(signal)) return signal === SIG.TTIN ? -E.IO : 0;
    if (isOrphanedGroup(p.world, processGroup)) return -E.IO;
    for (const member of groupMembers(p.world, processGroup)) member.signals.send(kernelInfo(signal), 'process');
    return -ERESTART.SYS;
  }
}
