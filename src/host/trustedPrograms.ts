/**
 * Where the programs lie that culprit itself runs. Node would look them up in PATH, where an empty or relative element
 * means the current directory, in which anybody may have put a `perl`: so places that belong to the system come first,
 * and of PATH only absolute directories count.
 */
import fs from 'node:fs';
import { join } from 'node:path';

const SYSTEM_DIRECTORIES = ['/usr/bin', '/bin', '/usr/local/bin'];
const known = new Map<string, string | undefined>();

/** The absolute path of a helper; undefined if there is none. */
export function helperProgram(name: string): string | undefined {
  if (!known.has(name)) known.set(name, findIn([...SYSTEM_DIRECTORIES, ...absoluteDirectories(process.env['PATH'])], name));
  return known.get(name);
}

/**
 * The absolute path of a program that the user may have chosen by PATH: as a shell finds it, but never in the current
 * directory.
 */
export function programInPath(name: string): string | undefined {
  return findIn(absoluteDirectories(process.env['PATH']), name);
}

function absoluteDirectories(path: string | undefined): string[] {
  return (path ?? '').split(':').filter((directory) => directory.startsWith('/'));
}

function findIn(directories: readonly string[], name: string): string | undefined {
  return directories.map((directory) => join(directory, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    fs.accessSync(path, fs.constants.X_OK);
    return fs.statSync(path).isFile();
  } catch {
    return false;
  }
}
