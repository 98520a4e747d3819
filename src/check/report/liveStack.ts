/**
 * The stack of a task that is running: for decisions about a finding that cannot wait until there is a recording to
 * look at.
 */
import type { Modules } from '../../debugger/program/modules.js';
import { ProgramView } from '../../debugger/program/programView.js';
import type { Task } from '../../linux/tasks/task.js';
import { PlayedTask } from '../../replay/play/playedSpace.js';
import { at } from '../../replay/log/position.js';
import { State } from '../../replay/timeline/state.js';
import { framesOf, type ReportedFrame } from './frames.js';

const ONLY = 0;

/** The task has to be the one whose registers are loaded. */
export function liveStack(task: Task, modules: Modules): ReportedFrame[] {
  return framesOf(liveView(task, modules));
}

/** What a debugger would see of the task. */
export function liveView(task: Task, modules: Modules): ProgramView {
  const { process, tid } = task;
  const bytes = process.cpu.bytes();
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  const thread = { tid, pid: process.pid, name: '' };
  const played = new PlayedTask(ONLY);
  const world = { current: played, tasks: new Map([[ONLY, played]]), threads: new Map([[ONLY, thread]]), spaces: new Map([[ONLY, { machine: process.machine, wordsOf: () => words }]]) };
  return new ProgramView(new State(world, at(process.world.instructions)), { id: ONLY, ...thread }, modules);
}
