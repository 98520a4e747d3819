/** What Node has no call for, done by the host's small standard programs instead. */
import { spawnSync } from 'node:child_process';
import { E } from '../base/errno.js';

export function makeFifo(path: string, mode: number): number {
  const result = spawnSync('mkfifo', ['-m', mode.toString(8), '--', path], { stdio: 'ignore' });
  return result.status === 0 ? 0 : -E.PERM;
}

/** Node cannot move a descriptor's offset; a child that inherits the descriptor can, as they share it. */
export function seekTo(fd: number, offset: number): number {
  const result = spawnSync('perl', ['-e', 'exit !sysseek(STDIN, $ARGV[0], 0)', String(offset)], {
    stdio: [fd, 'ignore', 'ignore'],
  });
  return result.status === 0 ? 0 : -E.SPIPE;
}

/** The attributes of the terminal on a descriptor in `stty -g` form, or undefined if there is no stty. */
export function sttyGet(fd: number): string | undefined {
  const result = spawnSync('stty', ['-g'], { stdio: [fd, 'pipe', 'ignore'], encoding: 'latin1' });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

export function sttySet(fd: number, attributes: string): boolean {
  return spawnSync('stty', [attributes], { stdio: [fd, 'ignore', 'ignore'] }).status === 0;
}
