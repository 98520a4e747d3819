/**
 * Where Redis is. Its password is a secret: it stays out of what we print, and out of what `ps` shows of our command
 * line, from the moment on that we have read it.
 */
import { UserError } from '../../base/errors.js';

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly db: number;
  readonly username?: string;
  readonly password?: string;
  readonly isEncrypted: boolean;
  /** For people: without the password. */
  readonly shown: string;
}

const DEFAULT_PORT = 6379;
const FORM = 'redis://[USER:PASSWORD@]HOST[:PORT][/DB]';

/** Throws a UserError, which does not repeat what may be a password. */
export function redisAddress(option: string, text: string, environment: Readonly<Record<string, string | undefined>>): RedisAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'redis:' && url.protocol !== 'rediss:') || url.hostname === '') throw new UserError(`${option}: it should look like ${FORM}`);
  const database = /^\/?(\d*)$/.exec(url.pathname)?.[1];
  if (database === undefined || url.search !== '' || url.hash !== '') throw new UserError(`${option}: it should look like ${FORM}; DB is a number`);
  const password = url.password === '' ? environment['CULPRIT_REDIS_PASSWORD'] : decoded(option, url.password);
  const [host, port, db] = [url.hostname.replace(/^\[|\]$/g, ''), url.port === '' ? DEFAULT_PORT : Number(url.port), Number(database)];
  return {
    host, port, db,
    ...(url.username === '' ? {} : { username: decoded(option, url.username) }),
    ...(password === undefined || password === '' ? {} : { password }),
    isEncrypted: url.protocol === 'rediss:',
    shown: `${url.protocol}//${url.hostname}:${port}${db === 0 ? '' : `/${db}`}`,
  };
}

function decoded(option: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new UserError(`${option}: user and password of the URL are not encoded as URLs are`);
  }
}
