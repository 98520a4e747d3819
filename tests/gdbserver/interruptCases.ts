/** Ctrl-C in the terminal of a real gdb, while it waits for a search that takes long. */
import { spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { listenForGdb } from '../../src/cli/serving/gdbListener.js';
import { expectLines } from './expectLines.js';
import { servedBytes, theTour } from './served.js';

const DRIVER = fileURLToPath(new URL('../terminal/throughTerminal.py', import.meta.url));
const CTRL_C = '\u0003';
const PROMPT = '(gdb) ';

type Step = { readonly expect: string } | { readonly send: string } | { readonly wait: number };

/** What gdb's terminal showed. */
async function throughTerminal(command: readonly string[], steps: readonly Step[]): Promise<string> {
  const child = spawn('/usr/bin/python3', [DRIVER], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify({ command, env: { TERM: 'dumb', HISTFILE: '/dev/null' }, rows: 50, columns: 200, timeout: 50, steps }));
  let said = '';
  for await (const data of child.stdout) said += String(data);
  const { text, failed } = JSON.parse(said) as { text: string; failed: string | null };
  if (failed !== null) expect.fail(`not seen: ${failed}\n${text}`);
  return text;
}

/** One interrupted command, with what is asked after it. */
async function interrupted(opensAt: 'begin' | 'end', command: string): Promise<string> {
  // A search that takes its time, and none of the machine's.
  const served = servedBytes((await theTour()).bytes, { opensAt, breathe: () => setTimeout(200) }, 1000);
  const faults: unknown[] = [];
  const listener = await listenForGdb(served, { report: (error) => faults.push(error) });
  const say = (line: string): Step[] => [{ expect: PROMPT }, { send: `${line}\n` }];
  const text = await throughTerminal(['/usr/bin/gdb', '-nx', '-q', '-iex', 'set debuginfod enabled off', '-iex', 'set auto-solib-add off', '-iex', 'set sysroot target:', '-ex', `target extended-remote :${listener.port}`], [
    ...say('set confirm off'), ...say('handle SIGUSR1 nostop noprint pass'), ...say('monitor when'), ...say('watch *(long *) 16'), ...say(command), { wait: 1 }, { send: CTRL_C }, { expect: 'SIGINT' }, ...say('monitor when'), ...say('p counter'), ...say('kill'), ...say('quit'),
  ]);
  await listener.close();
  expect(faults).toEqual([]);
  return text;
}

export function interruptCases(): void {
  describe('Ctrl-C', () => {
    it('ends a search in either direction, and the program stands where it stood', async () => {
      expectLines(await interrupted('end', 'reverse-continue'), /^time ([\d,]+) of \1/, 'received signal SIGINT', /^time ([\d,]+) of \1/, '= 10');
      if (process.env['CULPRIT_LONG'] !== undefined) expectLines(await interrupted('begin', 'continue'), /^time 0 of/, 'received signal SIGINT', /^time 0 of/, '= 0');
    });
  });
}
