/**
 * What is to blame for how a program fails with one input: `culprit blame`, in memory, with nothing written anywhere.
 * The program runs once as it is, and once under guards. Where guards see memory corrupted, their first finding is the
 * answer, unless both methods are wanted; where they see nothing and the run crashed, suppression looks for it.
 */
import { type AskedMethod, blame, type Guarded } from '../../blame/blame.js';
import type { BlamedFailure, BlameReport } from '../../blame/blameReport.js';
import { crashIn } from '../../blame/failure/crash.js';
import { guardOpinions } from '../../blame/guardOpinion.js';
import { isMadeOf } from '../../blame/guards/symptom.js';
import { suppressedRun } from '../../blame/suppression/suppressedRun.js';
import { chosenRules } from '../../check/chosenRules.js';
import { type Suppression } from '../../check/report/suppressions.js';
import { CheckedRun } from '../../check/run/checkedRun.js';
import { makeReports, type ReportableRun } from '../../check/run/reports.js';
import { Debugger } from '../../debugger/control/debugger.js';
import type { DebugFiles } from '../../debugger/program/debugFiles.js';
import { ValueEvaluator } from '../../debugger/values/valueEvaluator.js';
import { KnownCode } from '../../machine/knownCode/knownCode.js';
import { TimelineBranches } from '../../replay/branch/timelineBranches.js';
import { Timeline } from '../../replay/timeline/timeline.js';
import type { CheckedRule } from '../../rules/language/core.js';
import { shippedRules, shippedSuppressions } from '../arguments/shippedRules.js';
import { NODE_FILES } from '../opening/nodeFiles.js';
import { prebuiltCore } from '../stores/prebuilt.js';
import { endingOf, type InputRun, runInput, type RunRequest } from './inputRun.js';

/** Of libraries there are names without it, and reading it takes longer than most runs. */
const LIBRARIES = '/usr/lib/debug/';
const FILES: DebugFiles = { ...NODE_FILES, read: (path) => (path.startsWith(LIBRARIES) ? undefined : NODE_FILES.read(path)) };
/** Findings that are reported: the first that corrupts memory, and what came before it. */
const MOST_FINDINGS = 5;
const OF_CORRUPTION = /overflow|deref|free|smash|too\.small|after\.return|unterminated/;

/** One for each thread: code that was translated for one input serves the next. */
export class InputBlame {
  private readonly core = prebuiltCore();
  private readonly known = new KnownCode();
  private readonly rules: readonly CheckedRule[] = shippedRules();
  private readonly suppressions: readonly Suppression[] = shippedSuppressions();

  /** `newHost` gives each run files as they are: what one has changed, the next does not see. */
  async blame(request: Omit<RunRequest, 'host' | 'engine'>, method: AskedMethod, newHost: () => RunRequest['host']): Promise<BlameReport> {
    const engine = { coreModule: this.core, knownCode: this.known };
    const host = newHost();
    const run = await runInput({ ...request, host, engine });
    const timeline = new Timeline(run.recording);
    const branches = new TimelineBranches(timeline, run.recording, host);
    const debug = await Debugger.open(timeline, { files: FILES, evaluator: new ValueEvaluator(), ending: endingOf(run), branches });
    const guarded = method === 'suppression' ? undefined : await this.guarded({ ...request, host: newHost(), engine });
    const isSeen = guardOpinions(guarded?.reports ?? []).some(({ kind }) => kind === 'corruption');
    const { report } = await blame(debug, {
      program: request.program,
      method: method === 'guards' && !isSeen ? 'both' : method,
      ...(guarded === undefined ? {} : { guard: async () => guarded }),
      suppress: (points, work) => suppressedRun(debug, points, { maker: branches, work }),
      isMadeOf,
    });
    return { ...report, failure: report.failure ?? (await failureOf(debug, run)) };
  }

  private async guarded(request: RunRequest): Promise<Guarded> {
    const { rules, switches } = chosenRules(this.rules);
    const checked = new CheckedRun({ rules, switches, suppressions: this.suppressions, keepsGoing: true, allocators: {}, files: FILES, keepsAll: true });
    const run = await runInput({ ...request, observed: { interceptor: checked.interceptor, onEnd: (process) => checked.processEnded(process) } });
    const open = async (): Promise<Debugger> => Debugger.open(new Timeline(run.recording), { files: FILES, evaluator: new ValueEvaluator(), ending: endingOf(run) });
    const { reports } = await makeReports(firstOf(checked), open, this.suppressions);
    return { reports, remarks: [], open };
  }
}

/** A program that goes on with corrupt memory breaks rules everywhere, and each report takes its time. */
function firstOf(run: CheckedRun): ReportableRun {
  return {
    get hasAnything() {
      return run.hasAnything;
    },
    get suppressed() {
      return run.suppressed;
    },
    async findings(debug, work) {
      const all = (await run.findings(debug, work)).toSorted((a, b) => a.finding.moment.time - b.finding.moment.time);
      const corrupting = all.findIndex(({ finding: { firing } }) => OF_CORRUPTION.test(firing.rule) && !firing.rule.includes('null'));
      return all.slice(corrupting < MOST_FINDINGS ? 0 : corrupting, corrupting < 0 ? MOST_FINDINGS : corrupting + 1);
    },
  };
}

/** How the run itself failed: guards say where it went wrong, and not what became of it. */
async function failureOf(debug: Debugger, { hang }: InputRun): Promise<BlamedFailure | undefined> {
  if (hang !== undefined) return { kind: 'hang', name: 'hang', message: hang, place: { function: undefined, file: undefined, line: undefined, module: undefined, address: '0x0' }, time: 0 };
  return (await crashIn({ execution: debug.recording, modules: debug.modules }))?.said;
}
