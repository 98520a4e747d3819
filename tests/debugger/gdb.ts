/** What gdb says: a native run of the same program under its control. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('session.py', import.meta.url));

interface GdbFrame {
  readonly signal?: boolean;
  readonly name: string | null;
  readonly pc: number;
  readonly line: number;
  readonly file: string | null;
}

export interface GdbStep {
  readonly command: string;
  readonly text: string;
  /** As `shown` has them; undefined when the program has ended. */
  readonly frames: readonly string[] | undefined;
  readonly pc: number;
}

/** Where the program stands after each of the commands. */
export function gdbSession(path: string, commands: readonly string[], args: readonly string[] = []): GdbStep[] {
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', HOME: '/', COMMANDS: JSON.stringify(commands) };
  const text = execFileSync('gdb', ['-nx', '-q', '-batch', '-x', SCRIPT, '--args', path, ...args], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 });
  const results = JSON.parse(/^JSON:(.*)$/m.exec(text)?.[1] ?? '[]') as { command: string; text: string; frames: GdbFrame[] | null }[];
  return results.map(({ command, text: said, frames }) => ({ command, text: said, frames: frames?.map(shownFrame), pc: frames?.[0]?.pc ?? 0 }));
}

function shownFrame({ signal, name, line, file }: GdbFrame): string {
  if (signal === true) return '<signal handler called>';
  const plain = name === null ? '??' : name.replace(/(?<!operator|^)\(.*/, '');
  return line === 0 ? plain : `${plain} ${file?.replace(/.*\//, '')}:${line}`;
}
