/**
 * The user's directory for what can be found out again.
 *
 *   CULPRIT_CODE_CACHE=DIRECTORY   another place; `off`: none
 */
import fs from 'node:fs';
import { join, resolve } from 'node:path';
import { quickDigest } from './quickDigest.js';

/** Undefined if there is none. */
export function cacheDirectory(): string | undefined {
  const { CULPRIT_CODE_CACHE: own, XDG_CACHE_HOME: cache, HOME: home } = process.env;
  if (own === 'off') return undefined;
  if (own !== undefined && own !== '') return resolve(own);
  if (cache !== undefined && cache.startsWith('/')) return join(cache, 'culprit');
  return home === undefined || !fs.existsSync(home) ? undefined : join(home, '.cache', 'culprit');
}

/** Of what belongs to a program or another file. Two with the same name do no harm: bytes are compared. */
export function nameInCache(program: string): string {
  const path = program.includes('/') ? resolve(program) : program;
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/[^\w.+-]/g, '_').slice(0, 60);
  return `${name}-${quickDigest(path).slice(0, 16)}`;
}
