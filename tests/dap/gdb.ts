/** What gdb says of the same program, natively, at the same place. */
import { execFileSync } from 'node:child_process';

const MARK = '@@@';

/** Answers to gdb commands when a breakpoint at `place` has been hit so many times. */
export function askGdb(program: string, place: string, commands: readonly string[], { args = [], hits = 1, frame = 0 }: { readonly args?: readonly string[]; readonly hits?: number; readonly frame?: number } = {}): string[] {
  const marked = commands.flatMap((command) => ['-ex', `echo ${MARK}`, '-ex', command]);
  const text = execFileSync('gdb', [
    '-q', '-nx', '-batch', '-ex', 'set debuginfod enabled off', '-ex', 'set width 0', '-ex', `break ${place}`, '-ex', `ignore 1 ${hits - 1}`, '-ex', 'run >/dev/null 2>&1', '-ex', `frame ${frame}`,
    ...marked, '-ex', `echo ${MARK}`, '--args', program, ...args,
  ], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, LC_ALL: 'C' } });
  return text.split(MARK).slice(1, commands.length + 1).map((answer) => answer.trim());
}

/** `$1 = ` taken off, and addresses that differ from run to run made equal. */
export function normalised(text: string): string {
  return text.replace(/^\$\d+ = /, '').replace(/0x[\da-f]{4,}/g, '0x…');
}
