/** Programs that cannot be tested as the others are, and why. */

/** Use something that musl lacks. */
export const GLIBC_ONLY: ReadonlySet<string> = new Set([]);

/** Not yet: what is missing. */
export const PENDING: Readonly<Record<string, string>> = {};
