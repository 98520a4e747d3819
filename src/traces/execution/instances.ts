/** The times that lines, statements and functions were reached (debugger/control/instances.ts), for scripts. */
import { UserError } from '../../base/errors.js';
import { countArrivals, findInstance, type Instance, instanceNumbers, type InstanceRun } from '../../debugger/control/instances.js';
import { NamedInstances, type ReachedPlace } from '../../debugger/control/namedInstances.js';
import { statementName } from '../../debugger/program/statements.js';
import { parseStatement } from '../../debugger/program/statementText.js';
import { at } from '../../replay/log/position.js';
import type { Work } from '../../replay/timeline/work.js';
import type { Moment, Scene } from './scene.js';
import type { SecondExecution } from './secondExecution.js';

export class Instances {
  private readonly named: NamedInstances;

  constructor(
    private readonly scene: Scene,
    private readonly second: SecondExecution,
    /** Of a branch: what it goes on from. */
    private readonly recording: SecondExecution | undefined,
  ) {
    this.named = new NamedInstances(scene.modules, scene.sources);
  }

  async reached(place: string, endTime: number, work: Work | undefined): Promise<ReachedPlace> {
    return this.using(endTime, (run) => this.named.reached(place, run, { before: at(endTime), work }));
  }

  /** With its end. */
  async whole(place: string, endTime: number, work: Work | undefined): Promise<Instance> {
    const text = parseStatement(place);
    if (text?.instance === undefined) throw new UserError(`${place}: which time? Write FILE:LINE#N or FILE:LINE.K#N`);
    const { instance } = text;
    return this.using(endTime, async (run) => findInstance(run, await this.named.statement(text, run, { work }), instance, at(endTime), work));
  }

  /** Of each moment. */
  async numbers(moments: readonly Moment[], endTime: number, work: Work | undefined): Promise<(string | undefined)[]> {
    const statements = moments.map((moment) => {
      const { program } = this.scene.at(moment);
      const module = program.moduleAt(program.pc);
      return module === undefined ? undefined : this.named.statements.at(module, program.pc);
    });
    const asked = statements.flatMap((statement, i) => (statement === undefined ? [] : [{ statement, time: moments[i]?.position.time ?? 0, i }]));
    const numbers = await this.using(endTime, (run) => instanceNumbers(run, asked, work));
    const names = new Map(asked.map(({ statement, i }, place) => [i, `${statementName(statement)}#${numbers[place]}`]));
    return moments.map((_, i) => names.get(i));
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
