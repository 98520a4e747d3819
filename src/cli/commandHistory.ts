/** What was typed in earlier sessions: one file in the user's state directory. That it cannot be used is no reason to complain. */
import fs from 'node:fs';
import os from 'node:os';
import { dirname, join } from 'node:path';

const MOST_LINES = 1000;

function historyPath(): string {
  const state = process.env['XDG_STATE_HOME'];
  return join(state !== undefined && state.startsWith('/') ? state : join(os.homedir(), '.local', 'state'), 'culprit', 'history');
}

/** The newest first. */
export function readHistory(): string[] {
  try {
    const lines = fs.readFileSync(historyPath(), 'utf8').split('\n').filter((line) => line !== '');
    if (lines.length > 2 * MOST_LINES) fs.writeFileSync(historyPath(), `${lines.slice(-MOST_LINES).join('\n')}\n`, { mode: 0o600 });
    return lines.slice(-MOST_LINES).reverse();
  } catch {
    return [];
  }
}

export function appendHistory(line: string): void {
  try {
    fs.mkdirSync(dirname(historyPath()), { recursive: true, mode: 0o700 });
    fs.appendFileSync(historyPath(), `${line}\n`, { mode: 0o600 });
  } catch {
    // It is only a convenience.
  }
}
