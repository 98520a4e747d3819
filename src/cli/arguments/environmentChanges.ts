/**
 * What is different in the environment of a program that a culprit records for another one: `--env` would show it to
 * all users of the machine, and an environment of the recorder's own would be one for Node and the dynamic linker, too.
 * So it is in a file, which only the user can read.
 */
import fs from 'node:fs';
import { UserError } from '../../base/errors.js';
import { type BytePath, bytePathFromText } from '../../base/bytePath.js';

/** By name; null takes it away. */
type EnvironmentChanges = ReadonlyMap<string, string | null>;

/** To be read by `readChanges`. */
export function changesText(changes: EnvironmentChanges): string {
  return JSON.stringify([...changes]);
}

export function readChanges(path: string): EnvironmentChanges {
  try {
    return new Map(JSON.parse(fs.readFileSync(path, 'utf8')) as [string, string | null][]);
  } catch (error) {
    throw new UserError(`${path} is no list of variables: ${(error as Error).message}`);
  }
}

/** `settings` as in --env. */
export function changesOf(settings: readonly string[]): EnvironmentChanges {
  return new Map(settings.map((setting) => [setting.slice(0, setting.indexOf('=')), setting.slice(setting.indexOf('=') + 1)]));
}

/** The environment with some variables added, replaced or removed, in place as putenv does it. */
export function changedEnvironment(environment: readonly BytePath[], changes: EnvironmentChanges): BytePath[] {
  const result: (BytePath | undefined)[] = [...environment];
  for (const [name, value] of changes) {
    const prefix = bytePathFromText(`${name}=`);
    const known = result.findIndex((entry) => entry?.startsWith(prefix) === true);
    const entry = value === null ? undefined : bytePathFromText(`${name}=${value}`);
    if (known >= 0) result[known] = entry;
    else result.push(entry);
  }
  return result.filter((entry) => entry !== undefined);
}
