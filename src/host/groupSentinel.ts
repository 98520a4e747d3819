/**
 * Whether a signal was sent to our whole process group or to us alone: Node does not say. A small process in our
 * group does: it repeats what it is told, and what is sent to the group ends or stops it, as it does by default.
 * So a process that is asked after a signal has come, and answers, has not got it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import os from 'node:os';
import { isOrphanedGroup, processState } from './nodeProc.js';

/** Milliseconds in which it answers, unless the machine is very busy. */
const PATIENCE = 500;
/** Signals that come together end it once: what comes so soon afterwards was sent to the group as well. */
const TOGETHER = 200;
/** Between two looks whether it was stopped. */
const LOOK = 4;
/** Ends with us: then there is nothing more to be repeated. Needs no other program. */
const REPEAT = 'while read -r x; do echo; done';
const { SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGWINCH } = os.constants.signals;
const STOPPING: readonly number[] = [SIGTSTP, SIGTTIN, SIGTTOU];

export class GroupSentinel {
  private child: ChildProcess | undefined;
  private asked = 0;
  /** The last question that it has answered. */
  private answered = 0;
  private endedAt = -Infinity;

  start(): void {
    if (this.child !== undefined) return;
    const child = spawn('/bin/sh', ['-c', REPEAT], { stdio: ['pipe', 'pipe', 'ignore'] });
    this.child = child;
    child.unref();
    child.on('error', () => this.gone(child));
    child.on('exit', () => this.gone(child));
    child.stdin?.on('error', () => undefined);
    child.stdout?.on('data', (bytes: Buffer) => (this.answered += bytes.length));
    for (const stream of [child.stdin, child.stdout]) (stream as { unref?(): void } | null)?.unref?.();
  }

  /** Of a signal that has just come. Undefined: it cannot tell. */
  async hasHeard(signal: number): Promise<boolean | undefined> {
    if (performance.now() - this.endedAt < TOGETHER) return true;
    const { child } = this;
    if (child === undefined) return undefined;
    if (signal === SIGCONT) return this.isStopped(child) ? this.isContinued(child) : undefined;
    if (signal === SIGWINCH) return undefined;
    child.stdin?.write('\n');
    const question = ++this.asked;
    for (const end = performance.now() + PATIENCE; performance.now() < end; ) {
      if (this.child !== child) return true;
      // Where no process would continue it, such signals do not stop it.
      if (this.answered >= question) return STOPPING.includes(signal) && isOrphanedGroup() ? undefined : false;
      if (STOPPING.includes(signal) && this.isStopped(child)) return true;
      await new Promise((resolve) => setTimeout(resolve, LOOK));
    }
    return undefined;
  }

  /** Who is continued alone gets another one: this one answers no more. */
  private async isContinued(child: ChildProcess): Promise<boolean> {
    await new Promise((resolve) => setTimeout(resolve, LOOK));
    if (this.child !== child || !this.isStopped(child)) return true;
    this.child = undefined;
    child.kill('SIGKILL');
    this.renew();
    return false;
  }

  private isStopped({ pid }: ChildProcess): boolean {
    return pid !== undefined && processState(pid) === 'T';
  }

  private gone(child: ChildProcess): void {
    if (this.child !== child) return;
    this.child = undefined;
    if (child.signalCode === null) return;
    this.endedAt = performance.now();
    this.renew();
  }

  private renew(): void {
    this.answered = this.asked;
    this.start();
  }
}
