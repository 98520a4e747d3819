/** Reports and sources from texts, and what is made of them without the command. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { loadGrammars } from '../../src/cli/commands/pathsFiles.js';
import { CodeBase } from '../../src/paths/folding/codeBase.js';
import type { Grammars } from '../../src/paths/folding/languages.js';
import { nested } from '../../src/paths/model/nesting.js';
import type { PathReport, ReportedFile } from '../../src/paths/model/path.js';
import type { ReportInput } from '../../src/paths/readers/reading.js';
import { readReports } from '../../src/paths/readers/readers.js';
import { Sources } from '../../src/paths/sources/sources.js';
import { PLAIN_TEXT, reportLines, type StepTally } from '../../src/paths/text/reportText.js';

export function fixture(name: string): string {
  return readFileSync(new URL(name, new URL('fixtures/', import.meta.url)), 'utf8');
}

export function program(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}

/** A report in pieces of some bytes; files beside it by name. */
export function inputOf(text: string | Uint8Array, { name = 'report', piece = 1000, beside = {} }: { readonly name?: string; readonly piece?: number; readonly beside?: Readonly<Record<string, string>> } = {}): ReportInput {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  return {
    name,
    *chunks() {
      for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
    },
    beside: (other) => (Object.hasOwn(beside, other) ? inputOf(beside[other]!, { name: other, piece }) : undefined),
  };
}

let loaded: Promise<Grammars> | undefined;

/** Once for all tests of a process. */
export function grammars(): Promise<Grammars> {
  return (loaded ??= loadGrammars());
}

/** Sources by absolute path. */
export function codeBase(sources: Readonly<Record<string, string>>, options: { readonly grammars?: Grammars; readonly files?: ReadonlyMap<string, ReportedFile>; readonly roots?: readonly string[] } = {}): CodeBase {
  const access = {
    read: (path: string) => (Object.hasOwn(sources, path) ? new TextEncoder().encode(sources[path]!) : undefined),
    digest: (algorithm: string, bytes: Uint8Array) => (algorithm === 'sha-256' ? createHash('sha256').update(bytes).digest('hex') : undefined),
  };
  return new CodeBase(new Sources(access, { directory: '/work', folder: '/reports', roots: options.roots ?? [] }, options.files ?? new Map()), options.grammars);
}

/** What a text is read as, with the code at hand. */
export function reportsOf(input: ReportInput, code: CodeBase = codeBase({}), format?: string): PathReport[] {
  return [...readReports(input, format).reports].map((report) => nested(report, code));
}

export function textOf(report: PathReport, code: CodeBase, withReasons = false): { readonly lines: string[]; readonly tally: StepTally } {
  const tally: StepTally = { shown: 0, missing: 0 };
  return { lines: [...reportLines(report, 1, code, { style: PLAIN_TEXT, withReasons }, tally)], tally };
}

/** The lines of code of a text, without remarks. */
export function codeLines(lines: readonly string[]): string[] {
  return lines.filter((line) => !line.startsWith('#'));
}
