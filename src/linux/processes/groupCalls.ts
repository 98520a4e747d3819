/** Process groups and sessions. */
import { E } from '../../base/errno.js';
import type { Process } from '../process.js';
import type { SyscallFamily } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { findProcess, groupMembers } from './groups.js';

function setpgid(p: Process, a: SyscallArgs): number {
  const pid = a.int(0) || p.pid;
  const wanted = a.int(1) || pid;
  if (wanted < 0) return -E.INVAL;
  const target = pid === p.pid ? p : p.family.children.find((child) => child.pid === pid);
  if (target === undefined) return -E.SRCH;
  const { session } = p.credentials;
  if (target !== p && target.credentials.session !== session) return -E.PERM;
  if (target !== p && target.family.hasExecuted) return -E.ACCES;
  if (target.credentials.session === target.pid) return -E.PERM;
  if (wanted !== target.pid && !groupMembers(p.world, wanted).some((member) => member.credentials.session === session)) return -E.PERM;
  target.credentials.processGroup = wanted;
  return 0;
}

function setsid(p: Process): number {
  if (groupMembers(p.world, p.pid).length > 0) return -E.PERM;
  p.credentials.processGroup = p.pid;
  p.credentials.session = p.pid;
  return p.pid;
}

/** Asks a process, itself if the number is 0. */
function ask(p: Process, pid: number, question: (target: Process) => number): number {
  const target = pid === 0 ? p : findProcess(p.world, pid);
  return target === undefined ? -E.SRCH : question(target);
}

export const groupCalls: SyscallFamily = {
  getpgrp: (p) => p.credentials.processGroup,
  getpgid: (p, a) => ask(p, a.int(0), (target) => target.credentials.processGroup),
  getsid: (p, a) => ask(p, a.int(0), (target) => target.credentials.session),
  setpgid,
  setsid,
};
