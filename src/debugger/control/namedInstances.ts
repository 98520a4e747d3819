/**
 * What people write for a time at which the program was somewhere, `FILE:LINE[.K]#N` or `FUNCTION#N`, and for
 * statements: one reader for all front ends. What no module has now may come with a library: then all of the run is
 * looked through for what was ever loaded.
 */
import { UserError } from '../../base/errors.js';
import type { Position } from '../../replay/log/position.js';
import type { Execution } from '../../replay/timeline/execution.js';
import type { Work } from '../../replay/timeline/work.js';
import { findStatement } from '../program/findStatement.js';
import { LocationNotFound } from '../program/location.js';
import type { LoadedModule, Modules } from '../program/modules.js';
import { type Statement, statementName, Statements } from '../program/statements.js';
import { type CallText, parseCall, parseStatement, type StatementText } from '../program/statementText.js';
import type { SourceText } from '../program/sourceText.js';
import { findCall } from './calls.js';
import type { Arrival } from './instanceCounter.js';
import { findArrival, type InstanceRun } from './instances.js';
import { ModuleSurvey } from './moduleSurvey.js';

/** What is asked for by name, and from where. */
interface NamedQuestion {
  /** For a line without a file. */
  readonly currentPath?: string | undefined;
  /** For `#-1`. */
  readonly before?: Position | undefined;
  readonly work?: Work | undefined;
}

/** Where it was reached. */
export interface ReachedPlace extends Omit<Arrival, 'unit'> {
  /** Undefined for calls of functions. */
  readonly statement: Statement | undefined;
}

export class NamedInstances {
  readonly statements: Statements;
  private readonly survey: ModuleSurvey;

  constructor(
    private readonly modules: Modules,
    sources: SourceText,
  ) {
    this.statements = new Statements(sources);
    this.survey = new ModuleSurvey(modules);
  }

  runOf(execution: Execution, recording: Execution): InstanceRun {
    return { execution, recording, modules: this.modules, statements: this.statements };
  }

  /** By what is loaded now. */
  statementNow(text: StatementText, modules: readonly LoadedModule[], currentPath?: string): Statement {
    return findStatement(text, { modules, statements: this.statements, currentPath });
  }

  /** By what was ever loaded. The executions stand where they did afterwards. */
  async statement(text: StatementText, run: InstanceRun, { currentPath, work }: NamedQuestion = {}): Promise<Statement> {
    this.survey.note(run.execution);
    try {
      return this.statementNow(text, this.loaded, currentPath);
    } catch (error) {
      if (!(error instanceof LocationNotFound)) throw error;
      await this.survey.complete(run.recording ?? run.execution, work);
      return this.statementNow(text, this.loaded, currentPath);
    }
  }

  /** The line of an instruction, and its statement, if the line has several; undefined without debug information. */
  statementHere({ execution }: InstanceRun, thread: number, pc: bigint): readonly Statement[] | undefined {
    const module = this.modules.of(execution.state, thread).at(pc);
    const statement = module === undefined ? undefined : this.statements.at(module, pc);
    if (module === undefined || statement === undefined) return undefined;
    const { path, line } = statement;
    const whole = this.statements.wholeLine(path, line);
    return this.statements.ofLine(module.file, path, line).length > 1 ? [whole, statement] : [whole];
  }

  /** A UserError if the text is something else, or if it never happened. */
  async reached(text: string, run: InstanceRun, question: NamedQuestion = {}): Promise<ReachedPlace> {
    const call = parseCall(text);
    if (call !== undefined) return this.called(call, run, question);
    const parsed = parseStatement(text);
    if (parsed?.instance === undefined) throw new UserError(`${text}: which time? Write ${text}#1 for the first, FILE:LINE#N or FUNCTION#N`);
    const statement = await this.statement(parsed, run, question);
    return { ...(await findArrival(run, statement, parsed.instance, question.before, question.work)), statement };
  }

  private async called({ function: name, instance }: CallText, run: InstanceRun, { before, work }: NamedQuestion): Promise<ReachedPlace> {
    return { ...(await findCall(run, name, instance, before, work)), statement: undefined };
  }

  private get loaded(): readonly LoadedModule[] {
    return this.survey.views.flatMap((view) => view.modules.all).filter((module, i, all) => all.findIndex((other) => other.file === module.file) === i);
  }
}

/** `tally.c:19.2 was reached 5 times up to now; this is tally.c:19.2#3: i < n;` */
export function instanceText(statement: Statement, count: number, standing: number | undefined): string {
  const name = statementName(statement);
  if (count === 0) return `${name} has not been reached up to now`;
  const times = count === 1 ? 'once' : `${String(count).replace(/\B(?=(\d{3})+$)/g, ',')} times`;
  const text = statement.text === undefined ? '' : `: ${statement.text}`;
  return `${name} was reached ${times} up to now${standing === undefined ? '' : `; this is ${name}#${standing}`}${text}`;
}
