/** Branches of an execution, on this machine. */
import { NodeHost } from '../../host/nodeHost.js';
import { TimelineBranches } from '../../replay/branch/timelineBranches.js';
import type { PlayerOptions } from '../../replay/play/player.js';
import type { Timeline } from '../../replay/timeline/timeline.js';

/** The timeline goes to where branches begin: nothing else must use it. */
export function branchesOf(timeline: Timeline, options: PlayerOptions): TimelineBranches {
  return new TimelineBranches(timeline, options, new NodeHost());
}
