/**
 * What becomes of processes that are still there when the first one has ended. Natively they would go on in the
 * background; but we are one process for the host, and it has to end so that the shell goes on. So, unless the user
 * wants to wait for them, they get some time for what they are doing (a tee at the end of a pipe has its last lines to
 * write), then SIGTERM, then SIGKILL. Time is the guest's, so that the same run ends the same way; who does little but
 * system calls has much of it, and is ended by the host's time.
 */
import { SIG } from '../../base/signalNumbers.js';
import { kernelInfo } from '../signals/siginfo.js';
import type { World } from '../world.js';

/** `end`: they end soon after the first process. `wait`: the run goes on until they end. */
export type ChildrenPolicy = 'end' | 'wait';

/** Nanoseconds for what they are doing, and again for what they do on SIGTERM. Who waits for something is done. */
const GRACE = 50e6;
/** Milliseconds of the host's time after which they are done in any case. */
const LONGEST = 500;

export class LeftBehind {
  private phase: 'none' | 'busy' | 'asked' | 'killed' = 'none';
  private until = Infinity;
  private latest = Infinity;

  constructor(
    private readonly world: World,
    private readonly policy: ChildrenPolicy,
  ) {}

  /** The first process has ended; `isIdle`: no task can run now. Whether there is something new to be done for them. */
  look(isIdle: boolean): boolean {
    const { world } = this;
    if (this.phase === 'none') {
      if (this.policy === 'wait' && !world.wasEndedFromOutside) return false;
      this.enter('busy');
    }
    if (this.phase === 'killed' || (!isIdle && world.clock.now() < this.until && world.host.clock.milliseconds() < this.latest)) return false;
    if (this.phase === 'busy') {
      this.enter('asked');
      for (const { signals, family } of world.processes) {
        signals.send(kernelInfo(SIG.TERM), 'process');
        if (family.isStopped) signals.send(kernelInfo(SIG.CONT), 'process');
      }
    } else {
      this.enter('killed');
      world.killAll();
    }
    return true;
  }

  private enter(phase: 'busy' | 'asked' | 'killed'): void {
    this.phase = phase;
    this.until = this.world.clock.now() + GRACE;
    this.latest = this.world.host.clock.milliseconds() + LONGEST;
  }
}
