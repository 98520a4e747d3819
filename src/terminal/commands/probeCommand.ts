/** What a failure needed: conditions and calls that are tried otherwise, in branches. */
import { UserError } from '../../base/errors.js';
import { signalNumber } from '../../base/signalNames.js';
import type { Failure } from '../../probe/failure.js';
import { DEFAULT_MOST, probe } from '../../probe/probe.js';
import { probeLines } from '../../probe/probeText.js';
import type { Command } from '../command.js';

const USAGE = 'probe [-most N] [-run N] [exit STATUS | signal NAME | output TEXT | EXPRESSION at PLACE]';

export const PROBE: Command = {
  name: 'probe', group: 'time', usage: USAGE, completes: 'nothing', repeat: 'never',
  summary: 'Find the conditions and calls without which the recording would not fail.',
  details: `Each condition in the slice of the failure goes the other way, and each call on the stack there is left out: one at a time, in branches that are dropped. The failure is how the recording ended, unless you say: an exit status, a signal, a text in the output, or an expression that is true at a place (FILE:LINE, a function, or one time, as FILE:LINE#N). -most is how many are tried (${DEFAULT_MOST}), -run how many instructions each may take. You stay where you are.`,
  examples: [['probe', 'what did the crash need?'], ['probe output total: -1', 'what made it write that?'], ['probe count < 0 at tally.c:41', ''], ['switch tally.c:18#5', 'go and see what then happens']],
  async run(args, session) {
    const { debugger: debug, attempters } = session;
    const { failure, most, limit } = parse(args);
    const { slices } = session.slices.table;
    const result = await session.working('probe', (work) => probe(debug, { failure, most, limit, attempters, slices, work }));
    for (const line of probeLines(result, (path, line) => session.sources.line(path, line))) session.say(line);
  },
};

interface Asked {
  readonly failure: Failure | undefined;
  readonly most?: number | undefined;
  readonly limit?: number | undefined;
}

function parse(args: string): Asked {
  let rest = args.trim();
  const numbers: { most?: number; run?: number } = {};
  for (let option = /^-(most|run)\s+(\d[\d,_]*)\s*/.exec(rest); option !== null; option = /^-(most|run)\s+(\d[\d,_]*)\s*/.exec(rest)) {
    numbers[option[1] as 'most' | 'run'] = Number((option[2] as string).replace(/[,_]/g, ''));
    rest = rest.slice(option[0].length);
  }
  if (rest.startsWith('-') && /^-[a-z]/.test(rest)) throw new UserError(`Usage: ${USAGE}`);
  if (numbers.most === 0) throw new UserError('-most 0: nothing would be tried');
  return { failure: rest === '' ? undefined : failureIn(rest), most: numbers.most, limit: numbers.run };
}

export function failureIn(text: string): Failure {
  const [, kind, what] = /^(exit|signal|output)\s+(.+)$/s.exec(text) ?? [];
  if (kind === 'output' && what !== undefined) return { kind, text: what };
  if (kind === 'exit' && /^\d+$/.test(what ?? '')) return { kind, status: Number(what) };
  const signal = kind === 'signal' ? signalNumber(what ?? '') : undefined;
  if (signal !== undefined) return { kind: 'signal', signal };
  const [, expression, place] = /^(.+)\s+at\s+(\S+)$/.exec(text) ?? [];
  if (kind !== undefined || expression === undefined || place === undefined) throw new UserError(`Usage: ${USAGE}`);
  return { kind: 'holds', expression, place };
}
