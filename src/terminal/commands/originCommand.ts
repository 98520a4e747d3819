/** `origin`: where a value comes from. */
import { UserError } from '../../base/errors.js';
import { ValueFlow } from '../../flow/chain.js';
import { chainText } from '../../flow/chainText.js';
import { describeChain } from '../../flow/describe.js';
import { questionAbout } from '../../flow/question.js';
import type { Command } from '../command.js';

export const ORIGIN: Command = {
  name: 'origin', group: 'data', usage: 'origin EXPRESSION', completes: 'expression', repeat: 'never',
  summary: 'Show where a value comes from: every line that copied it, back to the one that made it.',
  details: 'EXPRESSION is a variable, a member, *ADDRESS or a register. Pointers that are moved on stay the same; other arithmetic makes a new value.',
  examples: [['origin list->head', 'who made what is there, and how it got there'], ['origin $rdi', 'what is in a register']],
  async run(args, session) {
    if (args === '') throw new UserError('Argument required (expression whose value is looked for).');
    const { debugger: debug, frame } = session;
    const { backtrace, execution, position } = debug;
    if (backtrace === undefined) throw new UserError('No stack.');
    const lines = await session.working('origin', async (work) => {
      try {
        const question = await questionAbout(args, backtrace, frame, execution, work);
        const flow = new ValueFlow(execution, debug.modules);
        const chain = await flow.origin(question.position, question.thread, question.place, { work });
        return [`${args} = ${question.value}`, ...chainText(await describeChain(flow, chain, debug.sources, work))];
      } finally {
        await execution.seek(position);
      }
    });
    for (const line of lines) session.say(line);
  },
};
