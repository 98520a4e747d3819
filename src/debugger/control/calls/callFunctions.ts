/** The function that a breakpoint on calls is for, wherever and whenever it is loaded. */
import { UserError } from '../../../base/errors.js';
import { quietly, type Work } from '../../../replay/timeline/work.js';
import type { Execution } from '../../../replay/timeline/execution.js';
import type { ModuleSurvey } from '../moduleSurvey.js';
import type { ProgramView } from '../../program/programView.js';
import { functionsNamed, isFunctionNamed, nameLike } from './callTargets.js';

interface Place {
  readonly execution: Execution;
  program(): ProgramView | undefined;
}

export class CallFunctions {
  constructor(
    private readonly here: Place,
    private readonly survey: ModuleSurvey,
  ) {}

  /** Where it begins. Throws a UserError if there is no such function. The execution stays where it is. */
  async find(text: string, addressOf: (expression: string) => bigint, work: Work | undefined): Promise<bigint[]> {
    const name = text.trim();
    if (name === '') throw new UserError('say which function: breakpoint FUNCTION [if CONDITION]');
    if (/^(?:\*|0x|\d)/.test(name)) return [addressOf(name.replace(/^\*\s*/, ''))];
    const found = this.now(name);
    if (found.length > 0) return found;
    // When libraries are loaded, and resolvers have chosen: at the end all of that has happened.
    const later = await this.atEnd(name, work);
    if (later.length > 0) return later;
    await this.survey.complete(this.here.execution, work);
    const ever = [...new Set(this.survey.views.flatMap((view) => functionsNamed(name, view)))];
    if (ever.length > 0) return ever;
    if (this.survey.views.some((view) => isFunctionNamed(name, view))) throw new UserError(`${name} is never called: it is chosen for this CPU at the first call`);
    const like = nameLike(name, this.survey.views);
    throw new UserError(`no function ${name}${like === undefined ? '' : `; did you mean ${like}?`}`);
  }

  private now(name: string): bigint[] {
    const program = this.here.program();
    return program === undefined ? [] : functionsNamed(name, program);
  }

  private async atEnd(name: string, work: Work | undefined): Promise<bigint[]> {
    const { execution } = this.here;
    const home = execution.position;
    try {
      await execution.seekEnd(quietly(work));
      return this.now(name);
    } finally {
      await execution.seek(home);
    }
  }
}
