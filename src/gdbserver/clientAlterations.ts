/**
 * Conditions inverted and statements left out, for clients: what whatIf/alterationCommands.ts answers. gdb does not
 * notice when a program becomes another one; so the branch that is made is entered with the next motion.
 */
import { at } from '../replay/log/position.js';
import { type AlterationCommand, AlterationCommands, type Entering } from '../whatIf/alterationCommands.js';
import type { Alterations } from '../whatIf/alterations.js';
import type { Client } from './client.js';
import { subjectOf } from './clientSubject.js';

export class ClientAlterations {
  private made: AlterationCommands | undefined;

  constructor(private readonly client: Client) {}

  private get commands(): AlterationCommands {
    this.made ??= new AlterationCommands(subjectOf(this.client));
    return this.made;
  }

  get lines(): readonly string[] {
    return this.commands.lines;
  }

  get list(): Alterations {
    return this.commands.list;
  }

  async run(name: AlterationCommand, args: readonly string[]): Promise<string> {
    const { client } = this;
    await this.settle();
    const { lines, entering } = await this.commands.run(name, args.join(' '), client.work);
    if (entering === undefined) return lines.join('\n') || 'done';
    client.pending = entering;
    const where = entering.branch === undefined ? 'nothing is altered: the recording' : `a branch from time ${entering.branch.start.time.toLocaleString('en')}`;
    return [...lines, `${where}; stepi goes to time ${entering.position.time.toLocaleString('en')} of it`].join('\n');
  }

  /** What was altered and not looked at yet counts for what is altered now. */
  private async settle(): Promise<void> {
    const { client } = this;
    const { pending } = client;
    if (!isEntering(pending)) return;
    await this.enter(pending);
    client.pending = at(pending.position.time);
  }

  async enter({ branch, history, position }: Entering): Promise<void> {
    const { debuggee, work } = this.client;
    if (branch === undefined) debuggee.dropBranch();
    else await debuggee.branching.adopt(branch, history, work);
    await debuggee.branching.seek(position, work);
  }

  /** What is on is made again, from the checkpoint on. In words: what has become of it. */
  async rolledBack(before: Alterations): Promise<readonly string[]> {
    if (before.all.length === 0) return [];
    const { lines, entering } = await this.commands.rolledBack(before, this.client.work);
    if (entering !== undefined) await this.enter(entering);
    return lines;
  }
}

export function isEntering(pending: unknown): pending is Entering {
  return typeof pending === 'object' && pending !== null && 'history' in pending;
}
