/**
 * Source files as the client gets them: by path if they are on this machine, otherwise by a number under which it can
 * ask for a text.
 */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { UserError } from '../base/errors.js';
import type { DebugFiles } from '../debugger/program/debugFiles.js';
import { SourceText } from '../debugger/program/sourceText.js';

export class ShownSources {
  private readonly missing: string[] = [];
  /** The debugger's, once there is one. */
  private files: SourceText;

  constructor(files: DebugFiles) {
    this.files = new SourceText(files);
  }

  /** Beginnings of paths as the compiler had them, and where these files are now. The longest that fits counts. */
  setMap(map: ReadonlyMap<string, string | null>): void {
    const pairs = [...map].flatMap(([from, to]) => (to === null ? [] : [[withoutSlash(from), withoutSlash(to)] as const]));
    for (const [from, to] of pairs.sort(([a], [b]) => b.length - a.length)) this.files.substitute(from, to);
  }

  /** From now on those of a debugger, with what the client said of them before. */
  adopt(files: SourceText): void {
    for (const { from, to } of this.files.substitutions) files.substitute(from, to);
    this.files = files;
  }

  /** As the client is to see a file of the debug information. */
  of(path: string): DebugProtocol.Source {
    const found = this.files.find(path);
    const here = found ?? this.files.expected(path);
    const name = here.slice(here.lastIndexOf('/') + 1);
    if (found !== undefined) return { name, path: here };
    return { name, path: here, sourceReference: this.reference(here), origin: 'not on this machine', presentationHint: 'deemphasize' };
  }

  /** The path in debug information that a path of the client's may be. */
  inProgram(path: string): string {
    return this.files.inProgram(path);
  }

  /** What was missing may be there now. */
  lookAgain(): void {
    this.files.forgetMissing();
  }

  text(reference: number): string {
    const path = this.missing[reference - 1];
    if (path === undefined) throw new UserError(`no source ${reference}`);
    const lines = this.files.lines(path);
    if (lines !== undefined) return lines.map((line) => `${line}\n`).join('');
    return `${path} is not on this machine.\n\nIf it is elsewhere, say so in the launch configuration:\n\n    "sourceMap": { "${directory(path)}": "/where/it/is/now" }\n\nThe disassembly view shows the code that was made from it.\n`;
  }

  private reference(path: string): number {
    const known = this.missing.indexOf(path);
    return known >= 0 ? known + 1 : this.missing.push(path);
  }
}

function withoutSlash(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, '') : path;
}

function directory(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}
