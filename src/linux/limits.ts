/** Resource limits (getrlimit(2)). Infinity stands for RLIM_INFINITY. */
import { E } from '../base/errno.js';

export const RLIMIT = {
  CPU: 0, FSIZE: 1, DATA: 2, STACK: 3, CORE: 4, RSS: 5, NPROC: 6, NOFILE: 7, MEMLOCK: 8, AS: 9, LOCKS: 10,
  SIGPENDING: 11, MSGQUEUE: 12, NICE: 13, RTPRIO: 14, RTTIME: 15,
} as const;

export interface Limit {
  readonly soft: number;
  readonly hard: number;
}

const NO_LIMIT: Limit = { soft: Infinity, hard: Infinity };

export class Limits {
  private readonly values: Limit[];

  constructor(initial: readonly Limit[]) {
    this.values = [...initial];
  }

  copy(): Limits {
    return new Limits(this.values);
  }

  all(): readonly Limit[] {
    return this.values;
  }

  soft(resource: number): number {
    return (this.values[resource] ?? NO_LIMIT).soft;
  }

  get(resource: number): Limit {
    return this.values[resource] ?? NO_LIMIT;
  }

  set(resource: number, limit: Limit, privileged: boolean): number {
    if (limit.soft > limit.hard) return -E.INVAL;
    if (limit.hard > this.get(resource).hard && !privileged) return -E.PERM;
    this.values[resource] = limit;
    return 0;
  }
}
