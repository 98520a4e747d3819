/** Where the script of a worker thread is, in each of the forms that we run in. */
import fs from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The bundle's directory; only defined there. */
declare const BUNDLE_DIRECTORY: string | undefined;

/**
 * The script made of src/PATH.ts, or undefined where there is none, because we run from the sources.
 * scripts/bundle.mjs has the list of those that it bundles; what is in threads/ there starts the script with a code
 * cache.
 */
export function threadScript(path: string): string | undefined {
  const bundled = typeof BUNDLE_DIRECTORY !== 'undefined';
  const name = `${basename(path)}.cjs`;
  const scripts = bundled ? [join(BUNDLE_DIRECTORY, 'threads', name), join(BUNDLE_DIRECTORY, name)] : [fileURLToPath(new URL(`../${path}.js`, import.meta.url))];
  return scripts.find((script) => fs.existsSync(script));
}
