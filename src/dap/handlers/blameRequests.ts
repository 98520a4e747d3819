/** The first point of memory corruption, for editors. */
import { blame } from '../../blame/blame.js';
import { blameLines } from '../../blame/blameText.js';
import { isMadeOf } from '../../blame/guards/symptom.js';
import { suppressedRun } from '../../blame/suppression/suppressedRun.js';
import type { Handler, Handlers } from '../handler.js';

const METHODS = ['suppression', 'guards', 'both'] as const;

/** `method`: `suppression`, `guards` or `both`. The answer is the report as JSON has it, and its text. */
const blameFailure: Handler = async (adapter, args, request) => {
  const { debug } = adapter;
  const { session } = adapter.console.terminal;
  const method = METHODS.find((one) => one === args.optionalString('method')) ?? 'both';
  const maxRuns = args.optionalInteger('maxRuns');
  const { report } = await request.doing('Looking for the first corruption', (work) => blame(debug, {
    program: session.commandLine[0] ?? '', method, work, guard: session.guard, isMadeOf, ...(maxRuns === undefined ? {} : { maxRuns }),
    suppress: (points, quiet) => suppressedRun(debug, points, { work: quiet }),
  }));
  return { ...report, text: blameLines(report, (path, line) => session.sources.line(path, line)).join('\n') };
};

export const blameRequests: Handlers = { 'culprit/blame': blameFailure };
