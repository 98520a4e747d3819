/**
 * What a thread has been told about how it is to be scheduled. It is remembered and shown; our own
 * schedule goes by turns and the seed.
 */
export class TaskScheduling {
  /** SCHED_*. */
  policy = 0;
  /** Of realtime policies; 0 otherwise. */
  priority = 0;
  nice = 0;
  resetOnFork = false;
  /** The processors that it may use, a bit each; undefined: all. */
  affinity: bigint | undefined;

  /** For a new thread or process. */
  copy(): TaskScheduling {
    const copy = new TaskScheduling();
    copy.affinity = this.affinity;
    if (this.resetOnFork) {
      copy.nice = this.policy === 0 ? Math.max(0, this.nice) : 0;
      return copy;
    }
    return Object.assign(copy, { policy: this.policy, priority: this.priority, nice: this.nice });
  }
}
