/**
 * Scripts of users: TypeScript or JavaScript in files, bundled with what they import by esbuild (which takes a tenth of
 * a second, while the recording is being opened, and is not done again as long as nothing changes), and what went wrong
 * in them, told by their own lines.
 */
import fs from 'node:fs';
import { createRequire, SourceMap, type SourceMapPayload } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type * as Esbuild from 'esbuild';
import { UserError } from '../../base/errors.js';
import { packageDirectory } from '../stores/prebuilt.js';
import { type ScriptCode, storedScript, storeScript } from '../stores/scriptStore.js';
import { temporaryFolder } from '../stores/temporaryFiles.js';

/** Where scripts find the library: an object by this name among the globals. */
export const LIBRARY = 'culprit.traces';

export interface CompiledScript {
  /** Of the file to be loaded. */
  readonly path: string;
  /** As the user wrote it. */
  readonly name: string;
  /** A source map, as text, to where the code came from as seen from the script's folder. */
  readonly map: string;
}

interface EsbuildMessage {
  readonly text: string;
  readonly location: { readonly file: string; readonly line: number } | null;
}

/** `names` are those that `culprit/traces` exports. Throws a UserError that says which line cannot be read. */
export async function compileScript(script: string, names: readonly string[]): Promise<CompiledScript> {
  if (!fs.existsSync(script)) throw new UserError(`no such script: ${script}`);
  const { code, map } = storedScript(script) ?? await bundledScript(script, names);
  const path = join(temporaryFolder().path, `${basename(script).replace(/\.\w+$/, '')}.mjs`);
  fs.writeFileSync(path, code);
  return { path, name: script, map };
}

async function bundledScript(script: string, names: readonly string[]): Promise<ScriptCode> {
  const { build } = await loadEsbuild();
  const contents = names.map((name) => `export const ${name} = globalThis[Symbol.for(${JSON.stringify(LIBRARY)})].${name};`).join('\n');
  try {
    const { outputFiles, metafile } = await build({
      // Nothing is written there: sources are named as seen from the script's folder.
      entryPoints: [resolve(script)], outfile: `${resolve(script)}.mjs`, write: false, metafile: true,
      bundle: true, format: 'esm', platform: 'node', target: 'node20', sourcemap: 'external', sourcesContent: false, logLevel: 'silent',
      plugins: [{
        name: 'culprit',
        setup(setup) {
          setup.onResolve({ filter: /^culprit\/traces$/ }, () => ({ path: 'culprit/traces', namespace: 'culprit' }));
          setup.onLoad({ filter: /./, namespace: 'culprit' }, () => ({ contents, loader: 'js' }));
        },
      }],
    });
    const textOf = (suffix: string): string => outputFiles.find(({ path }) => path.endsWith(suffix))?.text ?? '';
    const made = { code: textOf('.mjs'), map: textOf('.map') };
    storeScript(script, made, Object.keys(metafile.inputs).filter((input) => !input.startsWith('culprit:')));
    return made;
  } catch (error) {
    const [first] = (error as { readonly errors?: readonly EsbuildMessage[] }).errors ?? [];
    if (first === undefined) throw error;
    throw new UserError(`${first.location === null ? script : `${first.location.file}:${first.location.line}`}: ${first.text}`, 1);
  }
}

/** Only those who run scripts need it. It lies beside us, not beside the link that the command was started by. */
async function loadEsbuild(): Promise<Pick<typeof Esbuild, 'build'>> {
  try {
    return createRequire(join(packageDirectory(), 'bin', 'culprit'))('esbuild') as typeof Esbuild;
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    throw new UserError(`scripts in files need the package esbuild, which cannot be loaded (${reason}): install culprit again, or use -e, which works without it`);
  }
}

/** `script.ts:12: message`: the innermost place in the script that had to do with the error. */
export function scriptMessage(error: unknown, script: CompiledScript): string {
  return `${placeIn(error, script) ?? script.name}: ${messageOf(error)}`;
}

/** Mistakes in what was asked say what is wrong; others what kind of error they are, too. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return `thrown: ${String(error)}`;
  return error instanceof UserError ? error.message : `${error.name}: ${error.message}`;
}

function placeIn(error: unknown, { path, name, map }: CompiledScript): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const sources = new SourceMap(JSON.parse(map) as SourceMapPayload);
  for (const line of (error.stack ?? '').split('\n')) {
    if (!line.includes(path)) continue;
    const match = /:(\d+):(\d+)\)?$/.exec(line);
    if (match === null) continue;
    const entry = sources.findEntry(Number(match[1]) - 1, Number(match[2]) - 1);
    if (!('originalSource' in entry) || entry.originalSource === undefined || entry.originalSource.startsWith('culprit:')) continue;
    const file = relative(process.cwd(), resolve(dirname(resolve(name)), entry.originalSource));
    return `${file}:${entry.originalLine + 1}`;
  }
  return undefined;
}
