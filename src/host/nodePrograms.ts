/** What Node has no call for, done by the host's small standard programs instead. */
import { spawnSync } from 'node:child_process';
import { E } from '../base/errno.js';

const MKNOD = 133;
const S_IFIFO = 0o010000;

/** The path goes as hexadecimal digits: it need not be text. */
export function makeFifo(path: Uint8Array, mode: number): number {
  const script = 'exit(syscall($ARGV[0] + 0, pack("H*", $ARGV[1]), $ARGV[2] + 0, 0) == 0 ? 0 : $! + 0)';
  const args = ['-e', script, String(MKNOD), Buffer.from(path).toString('hex'), String(S_IFIFO | mode)];
  const { status } = spawnSync('perl', args, { stdio: 'ignore' });
  return status === 0 ? 0 : -(status ?? E.PERM);
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
