/** The first point of memory corruption, for editors. */
import { UserError } from '../../base/errors.js';
import { blame } from '../../blame/blame.js';
import { blameLines } from '../../blame/blameText.js';
import type { Handler, Handlers } from '../handler.js';

const METHODS = ['suppression', 'guards', 'both'] as const;

/** `method`: `suppression`, `guards` or `both`. The answer is the report as JSON has it, and its text. */
const blameFailure: Handler = async (adapter, args, request) => {
  const { debug } = adapter;
  const { session } = adapter.console.terminal;
  const method = METHODS.find((one) => one === args.optionalString('method')) ?? 'both';
  const means = session.blameMeans;
  if (means === undefined) throw new UserError('the program cannot be run again from here');
  const maxRuns = args.optionalInteger('maxRuns');
  const { report } = await request.doing('Looking for the first corruption', (work) => blame(debug, {
    ...means, program: session.commandLine[0] ?? '', method, work, ...(maxRuns === undefined ? {} : { maxRuns }),
  }));
  return { ...report, text: blameLines(report, (path, line) => session.sources.line(path, line)).join('\n') };
};

export const blameRequests: Handlers = { 'culprit/blame': blameFailure };
