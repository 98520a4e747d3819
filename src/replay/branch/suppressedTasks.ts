/**
 * Tasks of a suppressed branch that has left its recording: what its kernel asks before and after system calls, and
 * what keeps it going where a part that was left out would have done so.
 */
import { SIG } from '../../base/signalNumbers.js';
import type { ShadowGuard } from '../../linux/shadowGuard.js';
import type { Task } from '../../linux/tasks/task.js';
import type { EventLog } from '../log/eventLog.js';
import type { ChannelFile } from './suppression/channels.js';
import type { SuppressedThread, Suppression } from './suppression/suppression.js';

/** Signals that tell of a failure. Others end a program only because it has no handler for them. */
const FAILURES: ReadonlySet<number> = new Set([SIG.ILL, SIG.TRAP, SIG.ABRT, SIG.BUS, SIG.FPE, SIG.SEGV, SIG.SYS, SIG.KILL]);
/** Calls of a run that wait for what was left out and are ended; more of them are a loop. */
const MOST_WOKEN = 100;

/** The thread with its registers loaded; undefined if no shadow is followed in its process. */
export function suppressedThread(task: Task): SuppressedThread | undefined {
  const { machine } = task.process;
  machine.load(task);
  machine.engine.runsFor?.(task);
  const { shadow } = machine.engine;
  const store = (address: number, bytes: Uint8Array): void => void machine.space.poke(address, bytes);
  return shadow && { machine: { cpu: machine.cpu, space: machine.space, linear: machine.space.linear }, shadow, owner: task, store, file: (fd) => channelOf(task, fd) };
}

function channelOf({ process }: Task, fd: number): ChannelFile | undefined {
  const file = process.files.get(fd);
  const stat = file?.stat();
  if (file === undefined || stat === undefined || typeof stat === 'number') return undefined;
  return { key: `${stat.device}:${stat.inode}`, position: file.writePosition() ?? file.position, waiting: Math.max(0, file.available()) };
}

/** `log`: of the run without anything left out. */
export function shadowGuard(suppression: Suppression, log: EventLog): ShadowGuard {
  const ask = <T>(task: Task, question: (thread: SuppressedThread) => T): T | undefined => {
    const thread = suppressedThread(task);
    return thread && question(thread);
  };
  let deaths: ReadonlySet<number> | undefined;
  let woken = 0;
  return {
    used: (task) => ask(task, (thread) => suppression.met(thread)),
    answered: (task) => ask(task, (thread) => suppression.answered(thread)),
    completed: (task, number, result) => ask(task, (thread) => suppression.completed(thread, number, result)),
    running: (task) => ask(task, (thread) => suppression.running(thread)),
    // The part that would have handled or blocked it may have been left out.
    outlives: (signal) => !FAILURES.has(signal) && !(deaths ??= deathsIn(log)).has(signal),
    stuck(tasks) {
      // The newest first: others may wait for it as they should.
      const task = tasks.findLast(({ waitingCall }) => waitingCall !== undefined);
      if (task?.waitingCall === undefined || woken++ >= MOST_WOKEN) return false;
      const { waitingCall } = task;
      const result = ask(task, (thread) => suppression.waitsInVain(thread, waitingCall));
      if (result === undefined) return false;
      task.process.actFor(task);
      task.wake(result);
      return true;
    },
  };
}

/** Signals that ended processes. */
function deathsIn(log: EventLog): ReadonlySet<number> {
  const found = new Set<number>();
  const cursor = log.cursor();
  for (let event = cursor.next(); event !== undefined; event = cursor.next()) {
    for (const effect of event.effects) if (effect.op === 'processEnd' && effect.signal !== 0) found.add(effect.signal);
  }
  return found;
}
