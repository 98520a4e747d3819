/**
 * Where the files of a report are on this machine. Reports name files as they were where the tool ran, so there is a
 * ladder: the path as it is written, its ends below the current directory and the report's, its ends below the roots
 * that the user gives, and what the report has embedded. The first file that fits what the report knows (a digest,
 * the texts of lines, how many lines there are at least) is taken; if none fits, the first there is, which has changed
 * then.
 */
import type { ReportedFile } from '../model/path.js';
import { relativeTo, resolvedPath, suffixesOf } from './filePaths.js';

/** Files of this machine, as the command gives them. */
export interface SourceAccess {
  /** Undefined if it is no file, may not be read, or is too long for a source. */
  read(path: string): Uint8Array | undefined;
  /** In hexadecimal; undefined if the algorithm is not known. */
  digest(algorithm: string, bytes: Uint8Array): string | undefined;
}

interface SourcePlaces {
  readonly directory: string;
  /** Of the report. */
  readonly folder: string;
  /** By --source-root. */
  readonly roots: readonly string[];
}

/** What a report says of a line. */
export interface LineEvidence {
  readonly line: number;
  readonly snippet?: string;
}

export interface FoundSource {
  /** As heads show it. */
  readonly shown: string;
  /** Undefined if the report has it. */
  readonly path: string | undefined;
  readonly rung: 'path' | 'suffix' | 'root' | 'embedded';
  readonly lines: readonly string[];
  /** Whether it is another text than the one that the report is about, as far as its digest says. */
  readonly hasOtherDigest: boolean;
}

export interface SourceChoice {
  readonly source: FoundSource;
  /** Why it is taken for another version of the file; undefined if all fits. */
  readonly changed: string | undefined;
}

export class Sources {
  private readonly ladders = new Map<string, FoundSource[]>();

  constructor(
    private readonly access: SourceAccess,
    private readonly places: SourcePlaces,
    private readonly files: ReadonlyMap<string, ReportedFile>,
  ) {}

  find(name: string, evidence: readonly LineEvidence[] = []): SourceChoice | undefined {
    const found = this.ladder(name);
    for (const source of found) if (misfit(source, evidence) === undefined) return { source, changed: undefined };
    const [first] = found;
    return first === undefined ? undefined : { source: first, changed: misfit(first, evidence) };
  }

  private ladder(name: string): FoundSource[] {
    const known = this.ladders.get(name);
    if (known !== undefined) return known;
    const found = [...this.onDisk(name), ...this.embedded(name)];
    this.ladders.set(name, found);
    return found;
  }

  private onDisk(name: string): FoundSource[] {
    if (name === '' || name.includes('\0') || /^[a-z][\w+.-]+:\/\//i.test(name)) return [];
    const { directory, folder, roots } = this.places;
    const path = this.files.get(name)?.path;
    const names = path === undefined || path.includes('\0') ? [name] : [path, name];
    const rungs: [FoundSource['rung'], string][] = [
      ...names.flatMap((one) => [directory, folder].map((base): [FoundSource['rung'], string] => ['path', resolvedPath(base, one)])),
      ...roots.flatMap((root) => suffixesOf(names[0]!).map((suffix): [FoundSource['rung'], string] => ['root', resolvedPath(resolvedPath(directory, root), suffix)])),
      ...[directory, folder].flatMap((base) => suffixesOf(names[0]!).map((suffix): [FoundSource['rung'], string] => ['suffix', resolvedPath(base, suffix)])),
    ];
    const seen = new Set<string>();
    return rungs.flatMap(([rung, candidate]) => {
      if (seen.has(candidate)) return [];
      seen.add(candidate);
      const bytes = this.access.read(candidate);
      return bytes === undefined ? [] : [this.foundAt(name, candidate, rung, bytes)];
    });
  }

  private foundAt(name: string, path: string, rung: FoundSource['rung'], bytes: Uint8Array): FoundSource {
    return { shown: this.shown(name), path, rung, lines: linesOf(new TextDecoder('utf-8').decode(bytes)), hasOtherDigest: this.hasOtherDigest(name, bytes) };
  }

  private embedded(name: string): FoundSource[] {
    const text = this.files.get(name)?.text;
    return text === undefined ? [] : [{ shown: this.shown(name), path: undefined, rung: 'embedded', lines: linesOf(text), hasOtherDigest: false }];
  }

  /** As the report names it; below the current directory relative to it. */
  shown(name: string): string {
    return relativeTo(this.places.directory, name);
  }

  private hasOtherDigest(name: string, bytes: Uint8Array): boolean {
    for (const [algorithm, digest] of Object.entries(this.files.get(name)?.hashes ?? {})) {
      const ours = this.access.digest(algorithm, bytes);
      if (ours !== undefined) return ours !== digest;
    }
    return false;
  }
}

/** What does not fit; undefined if all does. */
function misfit({ lines, hasOtherDigest }: FoundSource, evidence: readonly LineEvidence[]): string | undefined {
  if (hasOtherDigest) return 'its digest is not the one in the report';
  for (const { line, snippet } of evidence) {
    const text = lines[line - 1];
    if (text === undefined) return `it has ${lines.length} lines, and the report speaks of line ${line}`;
    if (snippet !== undefined && !isAlike(text, snippet)) return `line ${line} is not what the report shows`;
  }
  return undefined;
}

/** A snippet may be a part of a line, or a line that was tidied up. */
function isAlike(text: string, snippet: string): boolean {
  const [ours, theirs] = [text, snippet].map((one) => one.replace(/\s+/g, ''));
  return theirs === '' || ours!.includes(theirs!) || (ours !== '' && theirs!.includes(ours!));
}

function linesOf(text: string): string[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
