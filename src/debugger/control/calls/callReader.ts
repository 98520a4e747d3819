/**
 * What the user writes for a breakpoint on calls: the function, wherever and whenever it is loaded, and the condition,
 * whose expressions have the values that they have now.
 */
import { UserError } from '../../../base/errors.js';
import { type GuestAddr, guestAddr } from '../../../base/types.js';
import type { Execution } from '../../../replay/timeline/execution.js';
import type { Thread } from '../../../replay/timeline/state.js';
import { quietly, type Work } from '../../../replay/timeline/work.js';
import type { ProgramView } from '../../program/programView.js';
import type { VisibleFrame } from '../../program/visibleFrame.js';
import type { FrameEvaluator } from '../../values/frameEvaluator.js';
import type { CallBreakpoint } from '../breakpoints.js';
import type { ModuleSurvey } from '../moduleSurvey.js';
import { ALWAYS, type CallCondition, parseCallCondition, refuseResult, withMeaning } from './callCondition.js';
import { codeAt, functionsNamed, isFunctionNamed, nameLike, namesOf } from './callTargets.js';
import { returnSites } from './returnSites.js';

/** Where the user stands. */
interface Standpoint {
  readonly execution: Execution;
  readonly evaluator: FrameEvaluator;
  readonly thread: Thread | undefined;
  readonly frame: VisibleFrame | undefined;
  program(): ProgramView | undefined;
}

export type CallMeant = Pick<CallBreakpoint, 'text' | 'entries' | 'code' | 'when' | 'returns'>;

export class CallReader {
  constructor(
    private readonly here: Standpoint,
    private readonly survey: ModuleSurvey,
  ) {}

  /** Throws a UserError if there is no such function at any time. The execution stays where it is. */
  async read(text: string, condition: string | undefined, work?: Work): Promise<CallMeant> {
    const when = this.condition(condition);
    return this.meant(text.trim(), await this.everNamed(text.trim(), work), when);
  }

  /** Undefined: always. */
  condition(text: string | undefined): CallCondition {
    if (text === undefined) return ALWAYS;
    const { execution, thread } = this.here;
    return withMeaning(parseCallCondition(text, (expression) => this.evaluate(expression)), (ranges) => execution.meaning(ranges, thread?.id));
  }

  private meant(name: string, addresses: readonly bigint[], when: CallCondition): CallMeant {
    refuseResult(name, when);
    const entries = addresses.map((address): GuestAddr => guestAddr(Number(address)));
    const isDecidedLater = when.questions.some(({ kind }) => kind !== 'argument');
    const returns = isDecidedLater ? returnSites(this.program, new Set(namesOf(entries, this.program)).add(name), entries) : new Set<number>();
    const views = [this.program, ...this.survey.views];
    const code = new Map(entries.map((entry) => [entry, codeAt(BigInt(entry), views)] as const));
    return { text: name, entries, code, when, returns };
  }

  private evaluate(expression: string): ReturnType<FrameEvaluator['evaluate']> {
    const { evaluator, frame } = this.here;
    return evaluator.evaluate(expression, this.program, frame);
  }

  private get program(): ProgramView {
    const program = this.here.program();
    if (program === undefined) throw new UserError('no thread runs here: there is no program to look at');
    return program;
  }

  private async everNamed(name: string, work: Work | undefined): Promise<bigint[]> {
    const known = this.knownNow(name);
    // Of other programs and times, too, as far as the user has been there.
    if (known.length > 0) return isAddress(name) ? known : [...new Set([...known, ...this.everSeen(name)])];
    // When libraries are loaded, and resolvers have chosen: at the end all of that has happened.
    const later = await this.atEnd(name, work);
    if (later.length > 0) return later;
    await this.survey.complete(this.here.execution, work);
    const ever = this.everSeen(name);
    if (ever.length === 0) throw this.unknown(name);
    return ever;
  }

  private knownNow(name: string): bigint[] {
    if (name === '') throw new UserError('say which function: breakpoint FUNCTION [if CONDITION]');
    if (!isAddress(name)) return functionsNamed(name, this.program);
    const { number } = this.evaluate(name.replace(/^\*\s*/, ''));
    if (number === undefined || number <= 0n || number >= 1n << 47n) throw new UserError(`no address of a function: ${name}`);
    return [number];
  }

  private everSeen(name: string): bigint[] {
    return [...new Set(this.survey.views.flatMap((view) => functionsNamed(name, view, false)))];
  }

  private async atEnd(name: string, work: Work | undefined): Promise<bigint[]> {
    const { execution } = this.here;
    const home = execution.position;
    try {
      await execution.seekEnd(quietly(work));
      const program = this.here.program();
      return program === undefined ? [] : functionsNamed(name, program);
    } finally {
      await execution.seek(home);
    }
  }

  private unknown(name: string): UserError {
    const views = [this.program, ...this.survey.views];
    if (views.some((view) => isFunctionNamed(name, view))) return new UserError(`${name} is not called here: which code it is, is chosen for this CPU at the first call`);
    const like = nameLike(name, views);
    return new UserError(`no function ${name}${like === undefined ? '' : `; did you mean ${like}?`}`);
  }
}

function isAddress(name: string): boolean {
  return /^(?:\*|0x|\d)/i.test(name);
}
