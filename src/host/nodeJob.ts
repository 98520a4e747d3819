/** This process as the job that a shell has started: how it stops, and who looks after it. */
import { type ChildProcess, spawn } from 'node:child_process';
import os from 'node:os';
import type { GroupSentinel } from './groupSentinel.js';
import type { HostJob } from './host.js';
import { isOrphanedGroup } from './nodeProc.js';

const { SIGHUP, SIGTTIN, SIGTTOU } = os.constants.signals;
/** What lasts no longer than this has no need of a sentinel (milliseconds). */
const SHORT = 200;

export class NodeJob implements HostJob {
  private watches = false;

  constructor(private readonly sentinel: GroupSentinel) {}

  /** Node forgets what its parent ignored. Shells tell the name of what they start: nohup is known by that. */
  get ignored(): readonly number[] {
    return /(^|\/)nohup$/.test(process.env['_'] ?? '') ? [SIGHUP] : [];
  }

  stop(signal: number, milliseconds: number): void {
    // We could not wake up by ourselves.
    const waker = milliseconds < Infinity ? wakeAfter(milliseconds) : undefined;
    // A terminal stops all who are in the background together.
    process.kill(signal === SIGTTIN || signal === SIGTTOU ? 0 : process.pid, signal);
    if (waker?.pid === undefined) return;
    waker.unref();
    try {
      // The shell and its sleep are a group of their own.
      process.kill(-waker.pid, 'SIGKILL');
    } catch {
      // It has done its work.
    }
  }

  isOrphaned(): boolean {
    return isOrphanedGroup();
  }

  watchGroup(): void {
    if (this.watches) return;
    this.watches = true;
    setTimeout(() => this.sentinel.start(), SHORT).unref();
  }
}

function wakeAfter(milliseconds: number): ChildProcess {
  const script = `sleep ${Math.max(0, milliseconds) / 1000}; kill -CONT ${process.pid}`;
  return spawn('/bin/sh', ['-c', script], { stdio: 'ignore', detached: true, env: { PATH: '/usr/bin:/bin' } });
}
