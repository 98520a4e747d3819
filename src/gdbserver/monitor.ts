/** `monitor` commands: what gdb has no words for. */
import { UserError } from '../base/errors.js';
import type { Session } from './session.js';

export async function monitor(session: Session, line: string): Promise<string> {
  const [name = 'help'] = line.split(/\s+/);
  if (name === 'when') return `time ${session.client.debuggee.position.time} of ${session.client.debuggee.execution.endTime}`;
  throw new UserError(`no such command: ${name}`);
}
