/**
 * What earlier runs of a program have found out about its code (machine/knownCode), in files of the user's cache
 * directory, one for each key of passes that code has gone through: the second run need not translate and find out
 * what is hot. A program that was never run begins with what the first one has left: the dynamic linker and the C
 * library lie where they lay there, and most of a short run is theirs. Nothing depends on it. Files of other
 * versions, and damaged ones, are as if they were not there; what cannot be written is not written.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { removeFile } from '../../host/privateFiles.js';
import { isLasting } from '../../ir/blockPass.js';
import { CodeLibrary } from '../../machine/knownCode/codeLibrary.js';
import { KnownCode } from '../../machine/knownCode/knownCode.js';
import type { MachineCode } from '../../machine/knownCode/machineCode.js';
import { cacheDirectory, madeCacheDirectory, nameInCache } from './cacheDirectory.js';
import { trialVerdict, tryMachineCode } from '../v8/machineCodeTrial.js';
import { buildId } from './prebuilt.js';
import { KEY_FILE, readSealed, writeSealed } from './sealedFiles.js';
import { V8MachineCode } from '../v8/v8MachineCode.js';

const LARGEST_FILE = 192 * 1024 * 1024;
/** Of all programs together; the oldest files go first. */
const MOST_BYTES = 512 * 1024 * 1024;
const SUFFIX = '.code';
/** In place of a program's name: what programs begin with that have nothing of their own. No program is called that. */
const ANY_PROGRAM = ':any';
/** Larger ones would take longer to read than they save. */
const LARGEST_FOR_ANY = 2 * 1024 * 1024;
/** In a shorter run V8 has optimised nothing. */
const SHORTEST_RUN_MS = 500;

interface CodeStore {
  readonly known: KnownCode;
  /** The run is over. */
  save(): void;
}

/**
 * Undefined if it is not to be stored. `program` is a path or a name; `kind` is another one for code that is not the
 * program's own alone.
 */
export function openCodeStore(program: string, kind = ''): CodeStore | undefined {
  const id = buildId();
  if (id === undefined) return undefined;
  let verdict: boolean | undefined;
  const machineCode = new V8MachineCode((purpose) => (verdict ??= verdictFor(purpose)) === true);
  const left = (by: string, key: string): CodeLibrary | undefined => read(fileFor(`${by}${kind}`, key), key === '', id, machineCode);
  const stored = (key: string): CodeLibrary => left(program, key) ?? left(ANY_PROGRAM, key) ?? new CodeLibrary(key === '', undefined, machineCode);
  const known = new KnownCode((key) => (isLasting(key) ? stored(key) : new CodeLibrary(false)));
  const began = performance.now();
  const isWorthStoring = (library: CodeLibrary): boolean => library.isWorthStoring || (performance.now() - began > SHORTEST_RUN_MS && library.hasMoreMachineCode);
  return {
    known,
    save: () => {
      for (const [key, library] of known.libraries) {
        if (!isLasting(key) || !isWorthStoring(library)) continue;
        const content = write(fileFor(`${program}${kind}`, key), id, library);
        if (content !== undefined) offer(fileFor(`${ANY_PROGRAM}${kind}`, key), id, library, content);
      }
    },
  };
}

function fileFor(program: string, key: string): string {
  return `${nameInCache(key === '' ? program : `${program}.${key}`)}${SUFFIX}`;
}

/** Whether V8 does what we think it does. It is tried out only by who has something to keep. */
function verdictFor(purpose: 'revive' | 'keep'): boolean | undefined {
  const directory = purpose === 'keep' ? madeCacheDirectory() : cacheDirectory();
  if (directory === undefined) return undefined;
  return trialVerdict(directory) ?? (purpose === 'keep' ? tryMachineCode(directory) : undefined);
}

function read(name: string, isPlain: boolean, id: string, machineCode: MachineCode): CodeLibrary | undefined {
  const directory = cacheDirectory();
  const content = directory === undefined ? undefined : readSealed(join(directory, name), { kind: 'code', id }, LARGEST_FILE);
  try {
    return content === undefined ? undefined : CodeLibrary.open(isPlain, content, machineCode);
  } catch {
    return undefined;
  }
}

/** Gives back what was written. */
function write(name: string, id: string, library: CodeLibrary): Uint8Array | undefined {
  const directory = madeCacheDirectory();
  if (directory === undefined) return undefined;
  const file = join(directory, name);
  try {
    const content = library.encode();
    if (content.length > LARGEST_FILE) removeFile(file);
    else if (writeSealed(file, { kind: 'code', id }, content)) {
      makeRoom(directory, file);
      return content;
    }
  } catch {
    // Then the next run finds it out again.
  }
  return undefined;
}

/** To programs that were never run, unless another has done it. What is linked statically is of no use to others. */
function offer(name: string, id: string, library: CodeLibrary, content: Uint8Array): void {
  if (content.length > LARGEST_FOR_ANY || !library.hasShared) return;
  const directory = madeCacheDirectory();
  if (directory === undefined) return;
  const file = join(directory, name);
  if (readSealed(file, { kind: 'code', id }, LARGEST_FOR_ANY) === undefined) writeSealed(file, { kind: 'code', id }, content);
}

function makeRoom(directory: string, newest: string): void {
  const files = fs.readdirSync(directory).filter((name) => name !== KEY_FILE).map((name) => join(directory, name)).filter((path) => path !== newest);
  const known = files.map((path) => ({ path, ...sizeAndTime(path) })).sort((a, b) => b.time - a.time);
  let total = sizeAndTime(newest).size;
  for (const { path, size } of known) {
    total += size;
    if (total > MOST_BYTES) removeFile(path);
  }
}

function sizeAndTime(path: string): { size: number; time: number } {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  return { size: stat?.size ?? 0, time: stat?.mtimeMs ?? 0 };
}
