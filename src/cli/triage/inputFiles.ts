/** The inputs that a command line names: files, and folders as fuzzers leave them. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../base/errors.js';
import { inputsIn } from '../../triage/fuzzerFolder.js';
import { distinctInputs, type InputFile, type TriageInput } from '../../triage/triageInput.js';
import { reasonOf } from '../output/report.js';

interface FoundInputs {
  readonly inputs: readonly TriageInput[];
  /** Files in the folders that are no inputs. */
  readonly leftOut: number;
}

const MOST_DEPTH = 32;

/** Throws a UserError if something cannot be read, or there is nothing. */
export function findInputs(names: readonly string[]): FoundInputs {
  const found: string[] = [];
  let leftOut = 0;
  const addFolder = (folder: string, depth: number): void => {
    const entries = attempt(folder, () => fs.readdirSync(folder)).flatMap((name) => {
      // Links lead where they lead: corpora are shared that way. What leads nowhere is no input.
      const stats = fs.statSync(join(folder, name), { throwIfNoEntry: false });
      return stats?.isFile() === true || stats?.isDirectory() === true ? [{ name, isFolder: stats.isDirectory() }] : [];
    });
    const { files, folders, leftOut: others } = inputsIn(entries);
    leftOut += others.length;
    found.push(...files.map((name) => join(folder, name)));
    if (depth < MOST_DEPTH) for (const name of folders) addFolder(join(folder, name), depth + 1);
  };
  for (const name of names) {
    const stats = attempt(name, () => fs.statSync(name));
    if (stats.isDirectory()) addFolder(name, 0);
    else if (stats.isFile()) found.push(name);
    else throw new UserError(`${name}: neither a file nor a directory`);
  }
  const inputs = distinctInputs([...new Set(found)].map(inputFile));
  if (inputs.length === 0) throw new UserError(`no inputs in ${names.join(' ')}`);
  return { inputs, leftOut };
}

function inputFile(name: string): InputFile {
  const content = attempt(name, () => fs.readFileSync(name));
  return { name, size: content.length, hash: sha256(content) };
}

export function sha256(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

function attempt<T>(name: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new UserError(`${name}: ${reasonOf(error)}`);
  }
}
