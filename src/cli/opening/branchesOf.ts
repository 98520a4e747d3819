/** Branches of an execution, on this machine. */
import { isMainThread } from 'node:worker_threads';
import type { Actor, Host } from '../../host/host.js';
import { NodeHost } from '../../host/nodeHost.js';
import { TimelineBranches } from '../../replay/branch/timelineBranches.js';
import { Unsupported } from '../../replay/branch/unsupported.js';
import type { PlayerOptions } from '../../replay/play/player.js';
import type { Timeline } from '../../replay/timeline/timeline.js';

const ROOT = 0;

/** The timeline goes to where branches begin: nothing else must use it. */
export function branchesOf(timeline: Timeline, options: PlayerOptions): TimelineBranches {
  return new TimelineBranches(timeline, options, isMainThread ? new NodeHost() : threadHost(new NodeHost()));
}

/** Only the main thread can act as another user, and a branch must not read as root what another user asks for. */
function threadHost(host: Host): Host {
  const { effectiveUid, effectiveGid } = host.identity;
  const actAs = ({ uid, gid }: Actor): void => {
    if (effectiveUid === ROOT && (uid !== effectiveUid || gid !== effectiveGid)) throw new Unsupported('a script cannot act as another user');
  };
  return Object.assign(Object.create(host) as Host, { identity: { ...host.identity, actAs } });
}
