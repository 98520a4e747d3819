/**
 * The program on its way: `continue` and steps are answered at once, and where it stops is an event later. Meanwhile
 * nothing can be looked at. What the user wants to stop at may change, though: then the search is given up, which takes
 * it back to where it began, and made again.
 */
import { UserError } from '../base/errors.js';
import type { Stop } from '../debugger/control/stops.js';
import type { Work } from '../replay/timeline/work.js';
import type { WorkList } from './longWork.js';

interface Movement {
  /** For progress: "Going back". */
  readonly title: string;
  readonly request: number;
  move(work: Work): Promise<Stop>;
}

interface MotionListener {
  stopped(stop: Stop): void;
  failed(error: unknown): void;
}

export class Motion {
  private current: { readonly movement: Movement; readonly arrived: Promise<void>; isRestarting: boolean; cancel(): void } | undefined;

  constructor(
    private readonly works: WorkList,
    private readonly listener: MotionListener,
  ) {}

  get isMoving(): boolean {
    return this.current !== undefined;
  }

  start(movement: Movement): void {
    if (this.current !== undefined) throw new UserError('the program is on its way already; pause it first');
    let cancel = (): void => undefined;
    const arrived = this.works.doing(movement.title, movement.request, async (work) => {
      cancel = () => work.cancel();
      // The request is answered first.
      await work.breathe();
      return movement.move(work);
    }).then((stop) => this.end(() => this.listener.stopped(stop)), (error: unknown) => this.end(() => this.listener.failed(error)));
    this.current = { movement, arrived, isRestarting: false, cancel: () => cancel() };
  }

  /** Gives the movement up; it stops where it began. */
  async interrupt(): Promise<void> {
    this.current?.cancel();
    await this.current?.arrived;
  }

  /** Does something for which the program has to stand still. It must leave it where it stands. */
  async whileStill<T>(action: () => Promise<T> | T): Promise<T> {
    const { current } = this;
    if (current === undefined) return action();
    current.isRestarting = true;
    current.cancel();
    await current.arrived;
    try {
      return await action();
    } finally {
      this.start(current.movement);
    }
  }

  private end(tell: () => void): void {
    const isRestarting = this.current?.isRestarting === true;
    this.current = undefined;
    if (!isRestarting) tell();
  }
}
