/** The end of a process: it gives back what it has, its children get another parent, and its own parent hears of it. */
import type { ExitStatus, Process } from '../process.js';
import { SIG } from '../../base/signalNumbers.js';
import { kernelInfo } from '../signals/siginfo.js';
import { machineOf } from './forkProcess.js';
import { groupMembers, isOrphanedGroup } from './groups.js';
import { reportEnd } from './reporting.js';

/** Who takes orphans in if no descendant wants them. */
const INIT = 1;
const LAST_STANDARD_FD = 2;

/**
 * `isFirst`: what it leaves behind is looked at afterwards (memory, registers), and its standard streams are the
 * user's.
 */
export function endProcess(p: Process, status: ExitStatus, isFirst: boolean): void {
  const groups = [...new Set([p.credentials.processGroup, ...p.family.children.map((child) => child.credentials.processGroup)])].filter((group) => stoppedOf(p, group).length > 0);
  const orphanedBefore = groups.filter((group) => isOrphanedGroup(p.world, group, p));
  closeFiles(p, isFirst);
  if (isFirst) p.memory.sharedFiles.flushAll();
  else leaveMachine(p);
  giveChildrenAway(p);
  for (const group of groups) if (!orphanedBefore.includes(group)) releaseIfOrphaned(p, group);
  if (!reportEnd(p, status)) p.family.parent?.family.forget(p);
}

/** The process uses the memory no more; if no other process does, it serves again. */
export function leaveMachine(p: Process): void {
  const { machine, family, world } = p;
  family.holdsParent = false;
  family.peakBytes = Math.max(family.peakBytes, p.space.peakResidentBytes);
  for (const task of p.tasks) machine.unload(task);
  if (--machine.users > 0) return;
  p.memory.close();
  world.machines.give(machineOf(machine), machine.engine);
}

function closeFiles(p: Process, isFirst: boolean): void {
  const { files, host, workingDirectory } = p;
  if (workingDirectory.fd !== undefined) host.files.close(workingDirectory.fd);
  if (!files.leave()) return;
  for (const fd of files.numbers()) {
    files.settle(fd);
    if (!isFirst || fd > LAST_STANDARD_FD) files.close(fd);
  }
}

function giveChildrenAway(p: Process): void {
  const heir = nextReaper(p);
  for (const child of p.family.children) {
    child.family.parent = heir;
    child.family.outsideParent = INIT;
    heir?.family.children.push(child);
    if (child.exitStatus !== undefined) {
      if (!reportEnd(child, child.exitStatus)) heir?.family.forget(child);
    } else if (child.parentDeathSignal !== 0) child.signals.send(kernelInfo(child.parentDeathSignal), 'process');
  }
  p.family.children.length = 0;
}

function nextReaper(p: Process): Process | undefined {
  for (let q = p.family.parent; q !== undefined; q = q.family.parent) {
    if (q.family.isSubreaper && q.exitStatus === undefined) return q;
  }
  return undefined;
}

/** Stopped processes that no other can continue any more are continued, with a warning. */
function releaseIfOrphaned(p: Process, group: number): void {
  if (!isOrphanedGroup(p.world, group)) return;
  for (const member of othersOf(p, group)) {
    member.signals.send(kernelInfo(SIG.HUP), 'process');
    member.signals.send(kernelInfo(SIG.CONT), 'process');
  }
}

function othersOf(p: Process, group: number): Process[] {
  return groupMembers(p.world, group).filter((member) => member !== p && member.exitStatus === undefined);
}

function stoppedOf(p: Process, group: number): Process[] {
  return othersOf(p, group).filter((member) => member.family.isStopped);
}
