/**
 * The file in which results are kept as they come (triage/stateLines.ts has its lines), so that the same command goes
 * on where it was, whatever ended it. A result is one write to the end of the file: it is there as a whole, or its line
 * is cut off and does not count.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../base/errors.js';
import type { InputResult } from '../../triage/inputResult.js';
import { readState, resultLine, stateHeader } from '../../triage/stateLines.js';
import { reasonOf } from '../output/report.js';
import { madeCacheDirectory } from '../stores/cacheDirectory.js';

const FILE = 'results.jsonl';
const PRIVATE = 0o600;

interface StateOptions {
  /** Where the user wants it; default: the user's cache. */
  readonly folder?: string | undefined;
  /** What results depend on. */
  readonly subject: string;
  /** Forget what is there. */
  readonly isFresh: boolean;
}

export class StateFile {
  readonly results: Map<string, InputResult>;
  private readonly fd: number | undefined;

  /** Throws a UserError if it cannot be used, or is of another command. */
  constructor({ folder, subject, isFresh }: StateOptions) {
    const path = placeOf(folder, subject);
    if (path === undefined) {
      this.results = new Map();
      return;
    }
    try {
      const text = isFresh ? '' : readOptional(path);
      const results = readState(text, subject);
      if (results === undefined) throw new UserError(`--state ${folder ?? path}: what is kept there is of another command, program or limits; --fresh forgets it`);
      this.results = results;
      const isNew = !text.includes('\n');
      this.fd = fs.openSync(path, isNew ? 'w' : 'a', PRIVATE);
      if (isNew) fs.writeSync(this.fd, stateHeader(subject));
      else if (!text.endsWith('\n')) fs.writeSync(this.fd, '\n');
    } catch (error) {
      if (error instanceof UserError) throw error;
      throw new UserError(`--state ${folder ?? path}: ${reasonOf(error)}`);
    }
  }

  /** Whether another run could go on from here. */
  get isKept(): boolean {
    return this.fd !== undefined;
  }

  /** The first result of an input counts. */
  add(result: InputResult): void {
    if (this.results.has(result.hash)) return;
    this.results.set(result.hash, result);
    if (this.fd !== undefined) fs.writeSync(this.fd, resultLine(result));
  }

  close(): void {
    if (this.fd !== undefined) fs.closeSync(this.fd);
  }
}

function placeOf(folder: string | undefined, subject: string): string | undefined {
  if (folder === undefined) {
    const cache = madeCacheDirectory();
    return cache === undefined ? undefined : join(cache, `triage-${subject.slice(0, 32)}.jsonl`);
  }
  try {
    fs.mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new UserError(`--state ${folder}: ${reasonOf(error)}`);
  }
  return join(folder, FILE);
}

function readOptional(path: string): string {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
