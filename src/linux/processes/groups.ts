/** Who is there: processes by number, groups and sessions. */
import type { Process } from '../process.js';
import type { World } from '../world.js';

/** All processes: also those that have ended, as long as their parents have not asked for their status. */
export function* allProcesses(world: World): Iterable<Process> {
  for (const p of world.processes) {
    yield p;
    for (const child of p.family.children) if (child.exitStatus !== undefined && !world.processes.includes(child)) yield child;
  }
}

export function findProcess(world: World, pid: number): Process | undefined {
  for (const p of allProcesses(world)) if (p.pid === pid) return p;
  return undefined;
}

export function groupMembers(world: World, group: number): Process[] {
  return [...allProcesses(world)].filter((p) => p.credentials.processGroup === group);
}

/**
 * Whether no process is left that could look after the group's stopped members: a parent in the session, but in
 * another group. `ending` has just ended and counts as if it had not.
 */
export function isOrphanedGroup(world: World, group: number, ending?: Process): boolean {
  return !groupMembers(world, group).some((p) => (p.exitStatus === undefined || p === ending) && hasKeeper(p));
}

function hasKeeper(p: Process): boolean {
  const { parent, outsideParent } = p.family;
  if (parent === undefined) return outsideParent > 1 && hasKeeperOutside(p);
  const { processGroup, session } = parent.credentials;
  return processGroup !== p.credentials.processGroup && session === p.credentials.session;
}

/** The shell that started us looks after us, unless the host says otherwise. */
function hasKeeperOutside({ credentials, host }: Process): boolean {
  const { identity, job } = host;
  return credentials.session === identity.session && (credentials.processGroup !== identity.processGroup || job?.isOrphaned() !== true);
}
