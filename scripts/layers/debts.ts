/**
 * What is not as it should be yet, in files with a line per entry: `path` or `path count`. Debts may only shrink. The
 * files merge by themselves (.gitattributes: both sides' lines stay); of two lines for the same path the lower counts.
 */
export type Debts = ReadonlyMap<string, number>;

export interface Comparison {
  /** Entries that are higher than they may be. */
  readonly grown: readonly { readonly path: string; readonly now: number; readonly allowed: number }[];
  /** Entries that have become lower, or are gone. */
  readonly shrunk: readonly { readonly path: string; readonly now: number; readonly allowed: number }[];
}

export function parseDebts(text: string): Debts {
  const debts = new Map<string, number>();
  for (const line of text.split('\n')) {
    const match = /^(?!#|[<>|=]{7})(\S.*?)(?: (\d+))?$/.exec(line);
    if (match === null) continue;
    debts.set(match[1]!, Math.min(Number(match[2] ?? 1), debts.get(match[1]!) ?? Infinity));
  }
  return debts;
}

/** With the comment at the top of the old text. */
export function printDebts(debts: Debts, old: string): string {
  const head = old.split('\n').filter((line) => line.startsWith('#'));
  const entries = [...debts].filter(([, count]) => count > 0).sort(([a], [b]) => (a < b ? -1 : 1));
  return [...head, ...entries.map(([path, count]) => (count === 1 ? path : `${path} ${count}`)), ''].join('\n');
}

export function compareDebts(now: Debts, allowed: Debts): Comparison {
  const rows = [...new Set([...now.keys(), ...allowed.keys()])].sort().map((path) => ({ path, now: now.get(path) ?? 0, allowed: allowed.get(path) ?? 0 }));
  return { grown: rows.filter((row) => row.now > row.allowed), shrunk: rows.filter((row) => row.now < row.allowed) };
}

/**
 * The debts to write down now. What has grown stays as it is listed, unless a file was moved: an entry of a file that
 * is gone goes to the file of the same name in another folder.
 */
export function acceptedDebts(now: Debts, allowed: Debts, isGone: (path: string) => boolean): Debts {
  const free = new Map<string, number>();
  for (const [path, count] of allowed) if (isGone(path)) free.set(withoutFolders(path), count);
  const accepted = new Map<string, number>();
  for (const [path, count] of now) {
    const known = allowed.get(path);
    const granted = Math.min(count, known ?? free.get(withoutFolders(path)) ?? 0);
    if (known === undefined) free.delete(withoutFolders(path));
    if (granted > 0) accepted.set(path, granted);
  }
  return accepted;
}

function withoutFolders(entry: string): string {
  return entry.replaceAll(/[^ ]*\//g, '');
}
