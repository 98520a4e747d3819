/**
 * V8's code caches of the bundled scripts (bin/cachedScript.cjs): each from a run that uses what most runs of its kind
 * use. What cannot be run here, because there is no dynamic linker for it, has none; it starts slower then, and that is
 * all.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CULPRIT = join(process.cwd(), 'bin', 'culprit');
const QUERY = join(process.cwd(), 'scripts', 'typicalQuery.ts');
/** It has debug information. */
const NOTES = join(process.cwd(), 'demo', 'notes');

function culprit(words, directory, environment, errors = 'inherit') {
  return spawnSync(process.execPath, [CULPRIT, ...words], {
    cwd: directory,
    env: { ...process.env, CULPRIT_CODE_CACHE: join(directory, 'code'), ...environment },
    stdio: ['ignore', 'ignore', errors],
  }).status;
}

export function makeCodeCaches() {
  const directory = mkdtempSync(join(tmpdir(), 'culprit-build-'));
  try {
    // A dynamic program where there is one.
    const guest = existsSync('/bin/true') ? '/bin/true' : join(process.cwd(), 'demo', 'hello');
    const status = culprit(['run', guest], directory, { CULPRIT_RECORD_CODE_CACHE: 'culprit', CULPRIT_CODE_CACHE: 'off' });
    if (status !== 0) throw new Error(`culprit run ${guest} failed: ${status}`);
    culprit(['check', guest], directory, { CULPRIT_RECORD_CODE_CACHE: 'culprit-check', CULPRIT_CODE_CACHE: 'off' }, 'ignore');
    // It has a bug, and is aborted.
    culprit(['record', '-o', 'notes.culprit', NOTES], directory, {}, 'ignore');
    if (!existsSync(join(directory, 'notes.culprit'))) return;
    // Twice: the code is known and the script compiled already, as in most queries.
    const query = (environment) => culprit(['query', 'notes.culprit', QUERY], directory, environment);
    if (query() === 0) query({ CULPRIT_RECORD_CODE_CACHE: 'culprit-query' });
  } finally {
    rmSync(directory, { recursive: true });
  }
}
