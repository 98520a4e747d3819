/**
 * The directory an invocation runs in. Native run and ours get the same one after each other, made
 * afresh, since programs print paths; what a run left there belongs to its result.
 */
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, lutimesSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { FileContent, Invocation } from './invocation.js';

/** Every file's age at the start: 2021-03-04 05:06:07 UTC. */
const MODIFIED = 1_614_834_367;

export class Sandbox {
  private readonly parent = realpathSync(mkdtempSync(join(tmpdir(), 'culprit-table-')));
  /** Where programs run. */
  readonly directory = join(this.parent, 'work');

  /** Empties the directory and puts the invocation's files there. */
  prepare(invocation: Invocation): void {
    rmSync(this.directory, { recursive: true, force: true });
    placeFiles(this.directory, invocation.files ?? {});
  }

  /** Everything in the directory, by path: kind, permissions, content. */
  contents(): Map<string, string> {
    const found = new Map<string, string>();
    walk(this.directory, '', found);
    return found;
  }

  dispose(): void {
    rmSync(this.parent, { recursive: true, force: true });
  }
}

export function placeFiles(directory: string, files: Readonly<Record<string, FileContent>>): void {
  mkdirSync(directory, { recursive: true });
  const paths = Object.keys(files);
  for (const path of paths) place(join(directory, path), files[path] ?? '');
  // From the inside out: placing a file changes its directory's time.
  const all = new Set(paths.flatMap(withParents));
  for (const path of [...all].sort((a, b) => b.length - a.length)) settle(join(directory, path));
  utimesSync(directory, MODIFIED, MODIFIED);
}

function place(path: string, content: FileContent): void {
  mkdirSync(dirname(path), { recursive: true });
  if (typeof content === 'string' || content instanceof Uint8Array) writeFileSync(path, content, { mode: 0o644 });
  else if ('linkTo' in content) symlinkSync(content.linkTo, path);
  else if ('directory' in content) mkdirSync(path, { recursive: true });
  else {
    writeFileSync(path, content.bytes);
    chmodSync(path, content.mode);
  }
}

function withParents(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}

function settle(path: string): void {
  if (lstatSync(path).isSymbolicLink()) lutimesSync(path, MODIFIED, MODIFIED);
  else utimesSync(path, MODIFIED, MODIFIED);
}

function walk(root: string, path: string, found: Map<string, string>): void {
  for (const name of readdirSync(join(root, path)).sort()) {
    const relative = join(path, name);
    const full = join(root, relative);
    const stat = lstatSync(full);
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isSymbolicLink()) found.set(relative, `link to ${readlinkSync(full)}`);
    else if (stat.isDirectory()) {
      found.set(relative, `directory ${mode}`);
      walk(root, relative, found);
    } else if (stat.isFile()) found.set(relative, `file ${mode} ${stat.nlink} ${stat.size} ${digest(readFileSync(full))}`);
    else found.set(relative, `other ${stat.mode.toString(8)}`);
  }
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}
