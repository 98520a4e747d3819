/** What scripts/bundle.mjs has built ahead of time and put beside the bundle, so that starting is quick. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The bundle's directory; only defined there. */
declare const BUNDLE_DIRECTORY: string | undefined;

/** Tells what was built at different times apart: 20 characters. Undefined where we do not run from the bundle. */
export function buildId(): string | undefined {
  const id = besideBundle('build-id');
  return id === undefined ? undefined : Buffer.from(id).toString('latin1');
}

/** The core module for the default options, or undefined where we do not run from the bundle. */
export function prebuiltCore(): Uint8Array<ArrayBuffer> | undefined {
  return besideBundle('core.wasm');
}

/** Where culprit is installed: what is shipped beside the code lies there. */
export function packageDirectory(): string {
  return typeof BUNDLE_DIRECTORY === 'undefined' ? fileURLToPath(new URL('../../..', import.meta.url)) : dirname(BUNDLE_DIRECTORY);
}

function besideBundle(name: string): Uint8Array<ArrayBuffer> | undefined {
  if (typeof BUNDLE_DIRECTORY === 'undefined') return undefined;
  try {
    return new Uint8Array(fs.readFileSync(join(BUNDLE_DIRECTORY, name)));
  } catch {
    return undefined;
  }
}
