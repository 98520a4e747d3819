/** Where the script of a worker thread is, in each of the forms that we run in. */
import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The bundle's directory; only defined there. */
declare const BUNDLE_DIRECTORY: string | undefined;

/**
 * The script made of src/FOLDER/NAME.ts, or undefined where there is none, because we run from the
 * sources. scripts/bundle.mjs has the list of those that it bundles; what is in threads/ there starts the script with a code cache.
 */
export function threadScript(name: string, folder: 'host' | 'cli' = 'host'): string | undefined {
  const bundled = typeof BUNDLE_DIRECTORY !== 'undefined';
  const scripts = bundled ? [join(BUNDLE_DIRECTORY, 'threads', `${name}.cjs`), join(BUNDLE_DIRECTORY, `${name}.cjs`)] : [fileURLToPath(new URL(`../${folder}/${name}.js`, import.meta.url))];
  return scripts.find((script) => fs.existsSync(script));
}
