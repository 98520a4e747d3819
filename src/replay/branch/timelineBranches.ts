/** Branches of a recording that somebody looks at through a timeline. */
import type { Host } from '../../host/host.js';
import type { PlayerOptions } from '../play/player.js';
import type { Position } from '../play/position.js';
import { releaseWorld } from '../play/worldState.js';
import type { Timeline } from '../timeline/timeline.js';
import { Branch, type BranchOrigin } from './branch.js';
import { Follower } from './follower.js';

export class TimelineBranches implements BranchOrigin {
  readonly log: PlayerOptions['log'];

  constructor(
    private readonly timeline: Timeline,
    /** Those that the timeline was made with. */
    private readonly options: PlayerOptions,
    readonly host: Host,
  ) {
    this.log = options.log;
  }

  /** A branch that starts there. The timeline stays where it is. */
  async at(position: Position): Promise<Branch> {
    return Branch.at(this, position);
  }

  async followerAt(position: Position): Promise<Follower> {
    const { timeline } = this;
    const state = await timeline.save(position);
    const follower = new Follower(this.options);
    follower.restore(state, timeline.store);
    follower.world.forgetHistory();
    releaseWorld(state.world);
    return follower;
  }
}
