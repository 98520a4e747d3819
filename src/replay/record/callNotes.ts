/**
 * When to look at what the kernel knows (kernelNotes.ts): after a system call has done its work, which may be long
 * after it was made, and before the guest runs on, if signals were delivered or a program was started.
 */
import type { Process } from '../../linux/process.js';
import type { Task } from '../../linux/tasks/task.js';
import type { Notes } from './kernelNotes.js';

export class CallNotes {
  /** The system call that is being answered. */
  private answering: { readonly task: Task; readonly call: number } | undefined;
  /** Whose system call has its result already, though it does not know. */
  private readonly woken = new WeakSet<Task>();
  private readonly startedPrograms = new Set<Process>();
  private readonly changedSignals = new Set<Process>();
  /** Their files are closed a little later. */
  private readonly endedProcesses = new Set<Process>();

  constructor(private readonly notes: Notes) {}

  made(task: Task, call: number): void {
    this.answering = { task, call };
  }

  waits(): void {
    this.answering = undefined;
  }

  /** It has its result. */
  woke(task: Task, call: number): void {
    this.notes.callEnded(task, call);
    this.woken.add(task);
  }

  returned(task: Task, call: number): void {
    this.answering = undefined;
    if (!this.woken.delete(task)) this.notes.callEnded(task, call);
  }

  signalDelivered(process: Process): void {
    this.changedSignals.add(process);
  }

  programStarted(process: Process): void {
    this.startedPrograms.add(process);
  }

  /** Its parent may have to ask for its status. */
  processEnded(process: Process): void {
    const { parent } = process.family;
    if (parent !== undefined && parent.exitStatus === undefined) this.changedSignals.add(parent);
    this.changedSignals.delete(process);
    this.startedPrograms.delete(process);
    this.endedProcesses.add(process);
  }

  /** The guest is about to run on. */
  settle(): void {
    if (this.startedPrograms.size + this.changedSignals.size + this.endedProcesses.size > 0) this.settleProcesses();
    const { answering } = this;
    this.answering = undefined;
    // Calls that do not return, as rt_sigreturn and execve.
    if (answering !== undefined && !answering.task.ended && answering.task.process.exitStatus === undefined) this.notes.callEnded(answering.task, answering.call);
  }

  private settleProcesses(): void {
    for (const process of this.startedPrograms) this.notes.programStarted(process);
    for (const process of [...this.startedPrograms, ...this.changedSignals]) if (process.exitStatus === undefined) this.notes.signalsChanged(process);
    for (const process of this.endedProcesses) this.notes.filesClosed(process);
    for (const settled of [this.startedPrograms, this.changedSignals, this.endedProcesses]) settled.clear();
  }
}
