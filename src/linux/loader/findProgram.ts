/** Which file a command name means: a path if it has a slash, otherwise the first match in PATH, as shells do it. */
import { E } from '../../base/errno.js';
import type { LoaderFiles } from './loaderFiles.js';
import { commandNotFound, programError } from './programErrors.js';

/**
 * `searchPath` is the value of PATH, undefined if it is unset. Throws a UserError (126 or 127) if there is no program.
 */
export function findProgram(files: LoaderFiles, name: string, searchPath: string | undefined): string {
  if (name === '') throw commandNotFound("''");
  if (name.includes('/')) {
    checkExecutable(files, name);
    return name;
  }
  let denied: string | undefined;
  for (const directory of (searchPath ?? '/usr/local/bin:/usr/bin:/bin').split(':')) {
    const path = directory === '' ? `./${name}` : `${directory}${directory.endsWith('/') ? '' : '/'}${name}`;
    const facts = files.stat(path);
    if (typeof facts === 'number' || facts.kind === 'directory') continue;
    if (facts.executable) return path;
    denied ??= path;
  }
  throw denied === undefined ? commandNotFound(name) : programError(denied, E.ACCES);
}

/** Throws the UserError a shell would show if the file cannot be executed at all. */
export function checkExecutable(files: LoaderFiles, path: string): void {
  const facts = files.stat(path);
  if (typeof facts === 'number') throw programError(path, -facts);
  if (facts.kind === 'directory') throw programError(path, E.ISDIR);
  if (facts.kind !== 'file' || !facts.executable) throw programError(path, E.ACCES);
}
