/**
 * What was typed in earlier sessions: one file in the user's state directory. That it cannot be used is no reason to
 * complain.
 */
import fs from 'node:fs';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { readPrivateFile, writePrivateFile } from '../../host/privateFiles.js';

const MOST_LINES = 1000;
const LARGEST = 16 * 1024 * 1024;

function historyPath(): string {
  const state = process.env['XDG_STATE_HOME'];
  return join(state !== undefined && state.startsWith('/') ? state : join(os.homedir(), '.local', 'state'), 'culprit', 'history');
}

/** The newest first. */
export function readHistory(): string[] {
  const bytes = readPrivateFile(historyPath(), LARGEST);
  if (bytes === undefined) return [];
  const lines = Buffer.from(bytes).toString().split('\n').filter((line) => line !== '');
  if (lines.length > 2 * MOST_LINES) writePrivateFile(historyPath(), [Buffer.from(`${lines.slice(-MOST_LINES).join('\n')}\n`)]);
  return lines.slice(-MOST_LINES).reverse();
}

export function appendHistory(line: string): void {
  try {
    fs.mkdirSync(dirname(historyPath()), { recursive: true, mode: 0o700 });
    // It may be anything by now: nothing that waits, or leads elsewhere, is to be opened.
    const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = fs.constants;
    const fd = fs.openSync(historyPath(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
    try {
      if (fs.fstatSync(fd).isFile()) fs.writeSync(fd, `${line}\n`);
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    // It is only a convenience.
  }
}
