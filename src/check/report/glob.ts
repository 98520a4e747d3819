/** Patterns with `*` and `?`, for names of rules, functions and files. */
export function globMatcher(pattern: string): (text: string) => boolean {
  const source = pattern.replace(/[.*+?^${}()|[\]\\]/g, (c) => (c === '*' ? '.*' : c === '?' ? '.' : `\\${c}`));
  const expression = new RegExp(`^${source}$`, 's');
  return (text) => expression.test(text);
}
