/** Servers of the built command on ports that are free. */
import { type ChildProcess, spawn } from 'node:child_process';
import { CULPRIT } from '../cli/culprit.js';

export interface PortServer {
  readonly pid: number;
  readonly port: number;
  /** What a client has to say; empty if there is nothing to be said. */
  readonly token: string;
  /** All that it has written to stderr. */
  said(): string;
  isAlive(): boolean;
  close(): void;
}

/** `args` without --port. It is there when its first line is. */
export async function startServer(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<PortServer> {
  const child: ChildProcess = spawn(CULPRIT, [...args.slice(0, 1), '--port', '0', ...args.slice(1)], { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...env } });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.on('close', () => reject(new Error(`it has ended: ${said}`)));
    child.stderr?.on('data', (data: Buffer) => {
      said += data.toString();
      if (said.endsWith('\n')) resolve();
    });
  });
  return {
    pid: child.pid as number,
    port: Number(/127\.0\.0\.1:(\d+)/.exec(said)?.[1]),
    token: /"token": "([^"]+)"/.exec(said)?.[1] ?? '',
    said: () => said,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    close: () => void child.kill(),
  };
}
