/** Says shortly how two outcomes differ: the first place, with a little around it. */
import type { Outcome } from './run.js';

const SHOWN = 200;

/** Null if they agree. */
export function difference(native: Outcome, ours: Outcome): string | null {
  const found = [
    ...(native.status === ours.status ? [] : [`exit status: native ${native.status}, culprit ${ours.status}`]),
    ...textDifference('stdout', native.stdout, ours.stdout),
    ...textDifference('stderr', native.stderr, ours.stderr),
    ...fileDifferences(native.files, ours.files),
  ];
  return found.length === 0 ? null : found.join('\n');
}

function textDifference(what: string, native: string, ours: string): string[] {
  if (native === ours) return [];
  const a = native.split('\n');
  const b = ours.split('\n');
  const line = a.findIndex((text, i) => text !== b[i]);
  const at = line < 0 ? a.length : line;
  return [`${what} differs from line ${at + 1} on:`, `  native:  ${shorten(a[at])}`, `  culprit: ${shorten(b[at])}`];
}

function shorten(text: string | undefined): string {
  if (text === undefined) return '(no more lines)';
  const visible = JSON.stringify(text);
  return visible.length > SHOWN ? `${visible.slice(0, SHOWN)}… (${text.length} characters)` : visible;
}

function fileDifferences(native: ReadonlyMap<string, string>, ours: ReadonlyMap<string, string>): string[] {
  const paths = [...new Set([...native.keys(), ...ours.keys()])].sort();
  return paths
    .filter((path) => native.get(path) !== ours.get(path))
    .slice(0, 5)
    .map((path) => `${path}: native ${native.get(path) ?? 'absent'}, culprit ${ours.get(path) ?? 'absent'}`);
}
