/** Slices for clients: what slices/sliceCommands.ts answers. What goes somewhere takes effect with the next motion. */
import { at, comparePositions } from '../replay/log/position.js';
import { SliceCommands } from '../slices/sliceCommands.js';
import type { Client } from './client.js';
import { subjectOf } from './clientSubject.js';

const known = new WeakMap<Client, SliceCommands>();

export async function sliceCommand(client: Client, name: string, args: readonly string[]): Promise<string> {
  let commands = known.get(client);
  if (commands === undefined) known.set(client, (commands = new SliceCommands(subjectOf(client))));
  const { execution, position } = client.debuggee;
  try {
    const { lines, goTo, stops } = await commands.run(name, args.join(' '), client.work);
    if (stops !== undefined) return [...lines, stopAt(client, stops)].join('\n');
    if (goTo === undefined) return lines.join('\n') || 'done';
    client.pending = at(goTo);
    return [...lines, `time ${goTo.toLocaleString('en')}: stepi goes there`].join('\n');
  } finally {
    if (comparePositions(execution.position, position) !== 0) await execution.seek(position);
  }
}

function stopAt(client: Client, { title, arrivals }: NonNullable<Awaited<ReturnType<SliceCommands['run']>>['stops']>): string {
  const { number } = client.calls.addTimes(title, arrivals);
  const count = arrivals.length === 1 ? 'one instance' : `${arrivals.length.toLocaleString('en')} instances`;
  return `breakpoint ${number}: ${title}, ${count}; continue and reverse-continue stop there`;
}
