/**
 * Telling who watches a file that its readiness may have changed, as the kernel's wait queues do it. Only
 * epoll needs to be told: an edge-triggered watch is about what happens, not about what is, and a level-triggered
 * one need not look at a thousand quiet files. A task that polls or reads simply tries again.
 */

export interface ReadinessWatcher {
  /** Exclusive watchers share: the first that passes a wake-up on to a task that waits keeps it from the others. */
  readonly exclusive: boolean;
  /** `events`: POLL bits that may hold now, 0 for any. Returns whether a task waits for that, and hears of it. */
  woken(events: number): boolean;
  /** What the file was ready for has been taken: if it is ready for it again, that is news. */
  taken?(events: number): void;
  /** The last descriptor of the file is gone. */
  fileClosed(): void;
}

export class ReadinessWatchers {
  private readonly watchers: ReadinessWatcher[] = [];

  add(watcher: ReadinessWatcher): void {
    if (watcher.exclusive) this.watchers.push(watcher);
    else this.watchers.unshift(watcher);
  }

  remove(watcher: ReadinessWatcher): void {
    const index = this.watchers.indexOf(watcher);
    if (index >= 0) this.watchers.splice(index, 1);
  }

  wake(events: number): void {
    for (const watcher of [...this.watchers]) {
      if (watcher.woken(events) && watcher.exclusive) return;
    }
  }

  taken(events: number): void {
    for (const watcher of this.watchers) watcher.taken?.(events);
  }

  close(): void {
    for (const watcher of this.watchers.splice(0)) watcher.fileClosed();
  }
}
