/** All objects of inter-process communication in the guest's world that have names or numbers. */
import type { Process } from '../process.js';
import { IpcObjects } from './ipcObjects.js';
import type { MessageQueue } from './messageQueue.js';
import type { PosixQueue } from './posixQueue.js';
import type { SharedSegment } from './sharedSegment.js';
import type { SemaphoreSet, UndoList } from './semaphoreSet.js';

const MOST_QUEUES = 32_000;
const MOST_SETS = 32_000;
const MOST_SEGMENTS = 4096;

export class IpcNamespace {
  readonly messageQueues = new IpcObjects<MessageQueue>(MOST_QUEUES);
  readonly semaphores = new IpcObjects<SemaphoreSet>(MOST_SETS);
  readonly segments = new IpcObjects<SharedSegment>(MOST_SEGMENTS);
  private nextSerial = 0;
  /** By name, without the slash. */
  readonly posixQueues = new Map<string, PosixQueue>();
  private readonly undoLists = new Map<Process, UndoList>();

  /** What semop with SEM_UNDO remembers for a process. */
  undoListOf(process: Process): UndoList {
    let list = this.undoLists.get(process);
    if (list === undefined) this.undoLists.set(process, (list = new Map()));
    return list;
  }

  /** A number that no other segment has. */
  takeSerial(): number {
    return this.nextSerial++;
  }

  /** To be called while its memory is still there. */
  processEnded(process: Process): void {
    for (const segment of this.segments.all()) segment.userEnded(process);
    const list = this.undoLists.get(process);
    if (list !== undefined) for (const set of [...list.keys()]) set.undo(list, process.pid);
    this.undoLists.delete(process);
    for (const queue of this.posixQueues.values()) queue.withdraw(process);
  }
}
