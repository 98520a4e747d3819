/**
 * The queue in Redis, by BullMQ: jobs that wait, jobs that a worker has taken, and what became of them. A worker has to
 * say every few seconds that it is alive; the job of one that does not is given to another.
 *
 * BullMQ and its client of Redis are loaded here and nowhere else, when a queue is asked for.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Bullmq from 'bullmq';
import type { Redis as Client, RedisOptions } from 'ioredis';
import { UserError } from '../../base/errors.js';
import type { TriageCommand } from '../../triage/triageJob.js';
import { packageDirectory } from '../stores/prebuilt.js';
import type { RedisAddress } from './redisAddress.js';

/** What a worker on any machine needs to know. */
export interface QueuedJob {
  readonly command: TriageCommand;
  /** SHA-256 of the program's file: results of another program would be worth nothing. */
  readonly programHash: string;
  readonly hash: string;
  /** The file as the program is told of it. */
  readonly path: string;
  /** The input itself in base64, unless it is large: then it has to be at `path` of the worker's machine, too. */
  readonly content?: string;
}

export const QUEUE = 'culprit-triage';
const CONNECT_MILLISECONDS = 5000;

interface RedisTools {
  readonly bullmq: typeof Bullmq;
  /** A connection of its own, to be closed by the caller. */
  connect(): Promise<Client>;
}

export function redisTools(address: RedisAddress): RedisTools {
  const load = createRequire(join(packageDirectory(), 'bin', 'culprit'));
  const bullmq = load('bullmq') as typeof Bullmq;
  const { Redis } = load('ioredis') as { Redis: new (options: RedisOptions) => Client };
  const { host, port, db, username, password, isEncrypted } = address;
  return {
    bullmq,
    async connect() {
      // BullMQ waits on its connections for as long as it takes: it asks for null.
      const client = new Redis({ host, port, db, ...(username === undefined ? {} : { username }), ...(password === undefined ? {} : { password }), ...(isEncrypted ? { tls: {} } : {}), maxRetriesPerRequest: null, lazyConnect: true, connectTimeout: CONNECT_MILLISECONDS, retryStrategy: () => null });
      let why: Error | undefined;
      client.on('error', (error: Error) => (why ??= error));
      try {
        await client.connect();
      } catch (error) {
        client.disconnect();
        throw new UserError(`${address.shown}: ${reason(why ?? (error as Error), password)}`);
      }
      // From now on a connection that breaks is made again.
      client.options.retryStrategy = (times: number) => Math.min(times * 200, 5000);
      return client;
    },
  };
}

/** What Redis and its client say may repeat what they were told. */
function reason({ message }: Error, password: string | undefined): string {
  const text = message.split('\n')[0] ?? '';
  return password === undefined ? text : text.replaceAll(password, '***');
}
