/**
 * Scripts of users: TypeScript or JavaScript in files, bundled with what they import by esbuild (which takes a tenth of a second, while
 * the recording is being opened), and what went wrong in them, told by their own lines.
 */
import fs from 'node:fs';
import { createRequire, SourceMap, type SourceMapPayload } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type * as Esbuild from 'esbuild';
import { UserError } from '../base/errors.js';
import { temporaryDirectory } from './recordingOrProgram.js';

/** Where scripts find the library: an object by this name among the globals. */
export const LIBRARY = 'culprit.traces';

export interface CompiledScript {
  /** Of the file to be loaded. */
  readonly path: string;
  /** As the user wrote it. */
  readonly name: string;
  readonly map: SourceMapPayload;
}

interface EsbuildMessage {
  readonly text: string;
  readonly location: { readonly file: string; readonly line: number } | null;
}

/** `names` are those that `culprit/traces` exports. Throws a UserError that says which line cannot be read. */
export async function compileScript(script: string, names: readonly string[]): Promise<CompiledScript> {
  if (!fs.existsSync(script)) throw new UserError(`no such script: ${script}`);
  const { build } = await loadEsbuild();
  const contents = names.map((name) => `export const ${name} = globalThis[Symbol.for(${JSON.stringify(LIBRARY)})].${name};`).join('\n');
  const directory = temporaryDirectory();
  const path = join(directory, `${basename(script).replace(/\.\w+$/, '')}.mjs`);
  try {
    const { outputFiles = [] } = await build({
      entryPoints: [resolve(script)], bundle: true, write: false, format: 'esm', platform: 'node', target: 'node20', sourcemap: 'external', outfile: path, logLevel: 'silent',
      plugins: [{
        name: 'culprit',
        setup(setup) {
          setup.onResolve({ filter: /^culprit\/traces$/ }, () => ({ path: 'culprit/traces', namespace: 'culprit' }));
          setup.onLoad({ filter: /./, namespace: 'culprit' }, () => ({ contents, loader: 'js' }));
        },
      }],
    });
    for (const file of outputFiles) fs.writeFileSync(file.path, file.contents);
  } catch (error) {
    const [first] = (error as { readonly errors?: readonly EsbuildMessage[] }).errors ?? [];
    if (first === undefined) throw error;
    throw new UserError(`${first.location === null ? script : `${first.location.file}:${first.location.line}`}: ${first.text}`, 1);
  }
  return { path, name: script, map: JSON.parse(fs.readFileSync(`${path}.map`, 'utf8')) as SourceMapPayload };
}

/** Only those who run scripts need it. */
async function loadEsbuild(): Promise<Pick<typeof Esbuild, 'build'>> {
  try {
    return createRequire(join(dirname(process.argv[1] ?? '.'), 'culprit'))('esbuild') as typeof Esbuild;
  } catch {
    throw new UserError('scripts in files need the package esbuild, which is not installed; -e works without it');
  }
}

/** `script.ts:12: message`: the innermost place in the script that had to do with the error. */
export function scriptMessage(error: unknown, { path, name, map }: CompiledScript): string {
  const place = placeIn(error, path, new SourceMap(map), path);
  return `${place ?? name}: ${messageOf(error)}`;
}

/** Mistakes in what was asked say what is wrong; others what kind of error they are, too. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return `thrown: ${String(error)}`;
  return error instanceof UserError ? error.message : `${error.name}: ${error.message}`;
}

function placeIn(error: unknown, path: string, map: SourceMap, generated: string): string | undefined {
  if (!(error instanceof Error)) return undefined;
  for (const line of (error.stack ?? '').split('\n')) {
    if (!line.includes(path)) continue;
    const match = /:(\d+):(\d+)\)?$/.exec(line);
    if (match === null) continue;
    const entry = map.findEntry(Number(match[1]) - 1, Number(match[2]) - 1);
    if (!('originalSource' in entry) || entry.originalSource === undefined || entry.originalSource.startsWith('culprit:')) continue;
    const file = relative(process.cwd(), resolve(dirname(generated), entry.originalSource));
    return `${file}:${entry.originalLine + 1}`;
  }
  return undefined;
}
