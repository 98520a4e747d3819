/** What the failure needed, for editors: each condition and call that is tried is an alteration to ask for. */
import { probe } from '../../probe/probe.js';
import { probeJson, probeLines } from '../../probe/probeText.js';
import { failureIn } from '../../terminal/commands/probeCommand.js';
import type { Handler, Handlers } from '../handler.js';

/** `failure`: as the command `probe` names it; by default how the recording ended. `most`: how many are tried. */
const probeFailure: Handler = async (adapter, args, request) => {
  const { debug } = adapter;
  const { session } = adapter.console.terminal;
  const asked = args.optionalString('failure');
  const options = { failure: asked === undefined ? undefined : failureIn(asked), most: args.optionalInteger('most'), slices: session.slices.table.slices };
  const result = await request.doing('Probing', (work) => probe(debug, { ...options, work }));
  const textOf = (path: string, line: number): string | undefined => session.sources.line(path, line);
  return { ...(probeJson(result, textOf) as object), text: probeLines(result, textOf).join('\n') };
};

export const probeRequests: Handlers = { 'culprit/probe': probeFailure };
