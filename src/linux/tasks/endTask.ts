/** The end of a thread: what others learn of it. */
import { BadAddress } from '../../machine/addressSpace.js';
import { futexKey } from './futexKey.js';
import { releaseRobustList } from './robustList.js';
import type { Task } from './task.js';

/** `memoryLives`: another process uses the address space after it. */
export function endTask(task: Task, memoryLives: boolean): void {
  if (task.ended) return;
  const { process } = task;
  const { futexes, piFutexes } = process.world;
  task.abandonWait();
  releaseRobustList(task, (address) => futexes.wake(futexKey(process, address, false), 1));
  process.world.interceptor?.threadEnded(task, memoryLives);
  if (memoryLives) clearTid(task);
  piFutexes.ownerEnds(task);
  task.ended = true;
  process.world.witness?.taskEnded(task);
  process.machine.unload(task);
  process.removeTask(task);
}

function clearTid(task: Task): void {
  const { process, clearChildTid } = task;
  if (clearChildTid === 0) return;
  try {
    process.space.writeU32(clearChildTid, 0);
  } catch (error) {
    if (!(error instanceof BadAddress)) throw error;
    return;
  }
  process.world.futexes.wake(futexKey(process, clearChildTid, false), 1);
}
