import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';
import { describe, expect, it } from 'vitest';

const FOLDER = fileURLToPath(new URL('../../editors/vscode/', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
interface Configuration {
  readonly type: string;
  readonly request: 'launch' | 'attach';
  readonly name: string;
}

interface Debuggers {
  readonly type: string;
  readonly configurationAttributes: Record<'launch' | 'attach', { readonly required: string[]; readonly properties: Record<string, { readonly description: string }> }>;
  readonly initialConfigurations: Configuration[];
  readonly configurationSnippets: { readonly label: string; readonly body: Configuration }[];
}

const about = JSON.parse(readFileSync(`${FOLDER}package.json`, 'utf8')) as {
  name: string; version: string; main: string;
  contributes: { commands: { command: string }[]; menus: Record<string, { command: string }[]>; debuggers: Debuggers[] };
};

interface Extension {
  activate(context: { subscriptions: unknown[] }): void;
  wordsOf(text: string): string[];
}

interface Provider {
  resolveDebugConfiguration(folder: undefined, configuration: object): Promise<object | undefined>;
}

interface Factory {
  createDebugAdapterDescriptor(session: object): unknown;
}

/** The extension, in an editor that notes what it registers. */
function loaded(): { readonly extension: Extension; readonly commands: string[]; readonly factories: Map<string, Factory>; readonly providers: Provider[]; readonly asked: { readonly prompt: string }[] } {
  const commands: string[] = [];
  const factories = new Map<string, Factory>();
  const providers: Provider[] = [];
  const asked: { readonly prompt: string }[] = [];
  const vscode = {
    window: {
      showInputBox: async (question: { readonly prompt: string }) => {
        asked.push(question);
        return 'typed in by the user';
      },
    },
    commands: { registerCommand: (name: string) => commands.push(name) },
    debug: { registerDebugAdapterDescriptorFactory: (type: string, factory: Factory) => factories.set(type, factory), registerDebugConfigurationProvider: (_type: string, provider: Provider) => providers.push(provider) },
    workspace: { getConfiguration: () => ({ get: () => '/opt/culprit' }) },
    DebugAdapterExecutable: class { constructor(readonly command: string, readonly args: string[]) {} },
    DebugAdapterServer: class { constructor(readonly port: number) {} },
  };
  const exports = {} as { activate?: unknown };
  const holder = { exports: exports as unknown };
  const require = createRequire(import.meta.url);
  const wrapper = Module.wrap(readFileSync(`${FOLDER}extension.js`, 'utf8'));
  const run = runInThisContext(wrapper) as (...args: unknown[]) => void;
  run(exports, (name: string): unknown => (name === 'vscode' ? vscode : require(name)), holder, '', '');
  return { extension: holder.exports as Extension, commands, factories, providers, asked };
}

describe('the extension for VS Code', () => {
  it('registers the commands that it announces, and starts the adapter', () => {
    const { extension, commands, factories } = loaded();
    extension.activate({ subscriptions: [] });
    expect(commands.toSorted()).toEqual(about.contributes.commands.map(({ command }) => command).toSorted());
    const factory = factories.get(about.contributes.debuggers[0]?.type ?? '');
    expect(factory?.createDebugAdapterDescriptor({ configuration: {} })).toMatchObject({ command: '/opt/culprit', args: ['dap'] });
    expect(factory?.createDebugAdapterDescriptor({ configuration: { debugServer: 4711 } })).toMatchObject({ port: 4711 });
  });

  it('gives the token to an adapter that was started on a port', async () => {
    const { extension, providers, asked } = loaded();
    extension.activate({ subscriptions: [] });
    const resolved = (configuration: object): Promise<object | undefined> => (providers[0] as Provider).resolveDebugConfiguration(undefined, configuration);
    expect(await resolved({ type: 'culprit' })).toEqual({ type: 'culprit' });
    expect(await resolved({ type: 'culprit', debugServer: 4711, token: 'written' })).toMatchObject({ token: 'written' });
    expect(asked).toEqual([]);
    expect(await resolved({ type: 'culprit', debugServer: 4711 })).toEqual({ type: 'culprit', debugServer: 4711, token: 'typed in by the user' });
    expect(asked).toMatchObject([{ prompt: 'The token that culprit dap --port 4711 printed', password: true }]);
  });

  it('contributes what fits together: menus of its commands, configurations of its attributes', () => {
    const { commands, menus, debuggers: [debug] } = about.contributes;
    const names = new Set(commands.map(({ command }) => command));
    for (const { command } of Object.values(menus).flat()) expect(names).toContain(command);
    expect(existsSync(FOLDER + about.main)).toBe(true);
    const written = [...readFileSync(`${FOLDER}README.md`, 'utf8').matchAll(/^ {4}\{\n(?: {6}.*\n)+ {4}\}/gm)].map(([text]) => JSON.parse(text) as Configuration);
    expect(written.length).toBeGreaterThan(0);
    const all = [...(debug?.initialConfigurations ?? []), ...(debug?.configurationSnippets.map(({ body }) => body) ?? []), ...written];
    for (const { type, request, name, ...rest } of all) {
      const { required, properties } = debug?.configurationAttributes[request] ?? { required: [], properties: {} };
      expect([type, typeof name]).toEqual([debug?.type, 'string']);
      expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(rest)));
      expect(Object.keys(rest)).toEqual(expect.arrayContaining(required));
    }
  });

  it('takes arguments apart as a shell does', () => {
    const { wordsOf } = loaded().extension;
    expect(wordsOf(`a "b c" 'd\\' e\\ f "" g"h"i "\\""`)).toEqual(['a', 'b c', 'd\\', 'e f', '', 'ghi', '"']);
    expect(wordsOf('  ')).toEqual([]);
  });

  it('is packed into a file that is a zip file', () => {
    const path = execFileSync(process.execPath, ['scripts/packageVscode.mjs'], { cwd: ROOT, encoding: 'utf8' }).trim();
    expect(path).toBe(`dist/${about.name}-${about.version}.vsix`);
    const listing = execFileSync('python3', ['-c', 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print("\\n".join(z.namelist()))', ROOT + path], { encoding: 'utf8' });
    expect(listing.trim().split('\n')).toEqual(['extension.vsixmanifest', '[Content_Types].xml', 'extension/package.json', 'extension/extension.js', 'extension/README.md', 'extension/LICENSE.txt']);
  });
});
