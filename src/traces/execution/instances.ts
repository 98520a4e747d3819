/** The times that lines, statements and functions were reached (debugger/control/instances.ts), for scripts. */
import { UserError } from '../../base/errors.js';
import { countArrivals, type InstanceRun } from '../../debugger/control/instances.js';
import { NamedInstances, type ReachedPlace } from '../../debugger/control/namedInstances.js';
import { parseStatement } from '../../debugger/program/statementText.js';
import { at } from '../../replay/log/position.js';
import type { Work } from '../../replay/timeline/work.js';
import type { Scene } from './scene.js';
import type { SecondExecution } from './secondExecution.js';

export class Instances {
  private readonly named: NamedInstances;

  constructor(
    scene: Scene,
    private readonly second: SecondExecution,
    /** Of a branch: what it goes on from. */
    private readonly recording: SecondExecution | undefined,
  ) {
    this.named = new NamedInstances(scene.modules, scene.sources);
  }

  async reached(place: string, endTime: number, work: Work | undefined): Promise<ReachedPlace> {
    return this.using(endTime, (run) => this.named.reached(place, run, { before: at(endTime), work }));
  }

  async count(place: string, before: number, work: Work | undefined): Promise<number> {
    const text = parseStatement(place);
    if (text === undefined || text.instance !== undefined) throw new UserError(`${place} is no statement: write FILE:LINE or FILE:LINE.K`);
    return this.using(before, async (run) => countArrivals(run, await this.named.statement(text, run, { work }), at(before), work));
  }

  private async using<T>(endTime: number, action: (run: InstanceRun) => Promise<T>): Promise<T> {
    const { recording } = this;
    return this.second.use(async (execution) => {
      if (recording === undefined) return action(this.named.runOf(execution, execution));
      return recording.use((before) => action({ ...this.named.runOf(execution, before), end: at(endTime) }));
    });
  }
}
