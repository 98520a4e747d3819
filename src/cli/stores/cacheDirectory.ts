/**
 * The user's directory for what can be found out again. Some of it is code that we run, so it is used only if no other
 * user can have put it there (host/privateFiles.ts), and what lies in it is sealed (sealedFiles.ts).
 *
 *   CULPRIT_CODE_CACHE=DIRECTORY   another place; `off`: none
 *   CULPRIT_DEBUG=1                says why it is not used
 */
import fs from 'node:fs';
import { join, resolve } from 'node:path';
import { madePrivateFolder, privateFolder } from '../../host/privateFiles.js';
import { quickDigest } from './quickDigest.js';
import { complain } from '../output/report.js';

const EVERYBODY = 0o777;
const PRIVATE_FOLDER = 0o700;

/** Those that have been looked at: no other user can change anything about them afterwards. */
const trusted = new Map<string, string>();

/** Undefined if there is none that can be used. */
export function cacheDirectory(): string | undefined {
  return looked((path) => privateFolder(path, refused));
}

/** The same, and it is made if it is not there. */
export function madeCacheDirectory(): string | undefined {
  return looked(madePrivateFolder);
}

function looked(look: (path: string) => string | undefined): string | undefined {
  const path = cachePath();
  if (path === undefined) return undefined;
  // A guest may have become another user, and we with it.
  const key = `${process.geteuid?.()} ${path}`;
  const found = trusted.get(key) ?? look(path);
  if (found !== undefined) trusted.set(key, found);
  return found;
}

function cachePath(): string | undefined {
  const { CULPRIT_CODE_CACHE: own, XDG_CACHE_HOME: cache, HOME: home } = process.env;
  if (own === 'off') return undefined;
  if (own !== undefined && own !== '') return resolve(own);
  if (cache !== undefined && cache.startsWith('/')) return join(cache, 'culprit');
  if (home === undefined || !fs.existsSync(home)) return undefined;
  mend(join(home, '.cache'));
  return join(home, '.cache', 'culprit');
}

/** Earlier versions made ~/.cache so that every user could write to it. */
function mend(folder: string): void {
  try {
    const { mode, uid } = fs.lstatSync(folder);
    if ((mode & 0o7777) === EVERYBODY && uid === process.geteuid?.()) fs.chmodSync(folder, PRIVATE_FOLDER);
  } catch {
    // It is not there.
  }
}

let hasComplained = false;

function refused(why: string): void {
  if (process.env['CULPRIT_DEBUG'] === '1' && !hasComplained) complain(`culprit: the code cache is not used: ${why}`);
  hasComplained = true;
}

/** Of what belongs to a program or another file. Two with the same name do no harm: bytes are compared. */
export function nameInCache(program: string): string {
  const path = program.includes('/') ? resolve(program) : program;
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/[^\w.+-]/g, '_').slice(0, 60);
  return `${name}-${quickDigest(path).slice(0, 16)}`;
}
