/**
 * Source files as the client gets them: by path if they are on this machine, otherwise by a number under which it can
 * ask for a text.
 */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { UserError } from '../base/errors.js';
import type { HostFiles } from '../debugger/program/hostFiles.js';

export class Sources {
  private readonly existing = new Map<string, boolean>();
  private readonly missing: string[] = [];
  /** Beginnings of paths as the compiler had them, and where these files are now; longest first. */
  private moved: readonly (readonly [string, string])[] = [];

  constructor(private readonly files: HostFiles) {}

  setMap(map: ReadonlyMap<string, string | null>): void {
    const pairs = [...map].filter((pair): pair is [string, string] => pair[1] !== null);
    this.moved = pairs.map(([from, to]) => [withoutSlash(from), withoutSlash(to)] as const).sort(([a], [b]) => b.length - a.length);
  }

  /** As the client is to see a file of the debug information. */
  of(path: string): DebugProtocol.Source {
    const here = replaced(path, this.moved);
    const name = here.slice(here.lastIndexOf('/') + 1);
    if (this.exists(here)) return { name, path: here };
    return { name, path: here, sourceReference: this.reference(here), origin: 'not on this machine', presentationHint: 'deemphasize' };
  }

  /** The path in debug information that a path of the client's may be. */
  inProgram(path: string): string {
    return replaced(path, this.moved.map(([from, to]) => [to, from] as const));
  }

  text(reference: number): string {
    const path = this.missing[reference - 1];
    if (path === undefined) throw new UserError(`no source ${reference}`);
    const bytes = this.files.read(path);
    if (bytes !== undefined) return new TextDecoder().decode(bytes);
    return `${path} is not on this machine.\n\nIf it is elsewhere, say so in the launch configuration:\n\n    "sourceMap": { "${directory(path)}": "/where/it/is/now" }\n\nThe disassembly view shows the code that was made from it.\n`;
  }

  private exists(path: string): boolean {
    const known = this.existing.get(path);
    if (known === true) return true;
    const exists = this.files.read(path) !== undefined;
    this.existing.set(path, exists);
    return exists;
  }

  private reference(path: string): number {
    const known = this.missing.indexOf(path);
    return known >= 0 ? known + 1 : this.missing.push(path);
  }
}

function replaced(path: string, pairs: readonly (readonly [string, string])[]): string {
  const pair = pairs.find(([from]) => path === from || path.startsWith(`${from}/`));
  return pair === undefined ? path : pair[1] + path.slice(pair[0].length);
}

function withoutSlash(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, '') : path;
}

function directory(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}
