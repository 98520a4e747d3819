/** Paths of files as texts: what is known of them without looking at any. */

/** An absolute path without `.` and `..`. */
export function resolvedPath(base: string, name: string): string {
  const parts: string[] = [];
  for (const part of (name.startsWith('/') ? name : `${base}/${name}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** Directories deeper than that are not meant. */
const MOST_PARTS = 60;

/** The ends of a path, the longest first: `a/b/c.c`, `b/c.c`, `c.c`. Those of other systems have other slashes. */
export function suffixesOf(name: string): string[] {
  const parts = name.replaceAll('\\', '/').split('/').filter((part) => part !== '' && part !== '.' && part !== '..' && !/^[A-Za-z]:$/.test(part)).slice(-MOST_PARTS);
  return parts.map((_, i) => parts.slice(i).join('/'));
}

/** Relative to a directory, if it is below it. */
export function relativeTo(directory: string, path: string): string {
  const folder = directory.endsWith('/') ? directory : `${directory}/`;
  return path.startsWith(folder) && path.length > folder.length ? path.slice(folder.length) : path;
}
