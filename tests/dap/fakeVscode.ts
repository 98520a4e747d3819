/** The extension, in an editor that notes what it registers and shows, and answers its questions. */
import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';

export const FOLDER = fileURLToPath(new URL('../../editors/vscode/', import.meta.url));

interface Extension {
  activate(context: { subscriptions: unknown[] }): void;
  wordsOf(text: string): string[];
}

export interface Provider {
  resolveDebugConfiguration(folder: undefined, configuration: object): Promise<object | undefined>;
}

interface Factory {
  createDebugAdapterDescriptor(session: object): unknown;
}

interface Markdown {
  readonly value: string;
}

interface HoverProvider {
  provideHover(document: object, position: { readonly line: number }): { readonly contents: Markdown } | undefined;
}

interface Decoration {
  readonly range: { readonly line: number };
  readonly renderOptions: { readonly after: { readonly contentText: string } };
}

/** A file that is open. */
class FakeTextEditor {
  marked: [number, string][] = [];
  readonly selection = { isEmpty: true, active: { line: 0 } };
  readonly document: { readonly uri: { readonly fsPath: string }; readonly lineCount: number; lineAt(line: number): object };

  constructor(path: string, lines: readonly string[]) {
    this.document = { uri: { fsPath: path }, lineCount: lines.length, lineAt: (line) => ({ range: { line: line + 1 } }) };
  }

  setDecorations(_type: unknown, decorations: readonly Decoration[]): void {
    this.marked = decorations.map(({ range, renderOptions }) => [range.line, renderOptions.after.contentText]);
  }
}

/** What sessions answer, by request. */
type Answers = Readonly<Record<string, (args: unknown) => unknown>> | ((request: string, args: unknown) => unknown);

export class FakeEditor {
  readonly extension: Extension;
  readonly commands = new Map<string, (...args: unknown[]) => Promise<void>>();
  readonly factories = new Map<string, Factory>();
  readonly providers: Provider[] = [];
  readonly asked: { readonly prompt: string }[] = [];
  /** What the user says to questions: a text, or the label of what is picked; undefined: nothing. */
  readonly answers: (string | undefined)[] = [];
  readonly requests: [string, unknown][] = [];
  readonly errors: string[] = [];
  readonly documents: string[] = [];
  readonly contexts = new Map<string, unknown>();
  readonly status = { text: '', tooltip: '', isShown: false, show: () => void (this.status.isShown = true), hide: () => void (this.status.isShown = false) };
  private readonly editors: FakeTextEditor[] = [];
  private hovers: HoverProvider | undefined;
  private readonly loaded = new Map<string, unknown>();

  constructor(private readonly session: Answers = {}) {
    this.extension = this.load('extension.js', this.vscode()) as Extension;
    this.extension.activate({ subscriptions: [] });
  }

  open(path: string, lines: readonly string[]): FakeTextEditor {
    const editor = new FakeTextEditor(path, lines);
    this.editors.unshift(editor);
    return editor;
  }

  async run(command: string, ...args: unknown[]): Promise<void> {
    await this.commands.get(command)?.(...args);
  }

  /** The text that is shown over a line. */
  hover(path: string, line: number): string | undefined {
    return this.hovers?.provideHover({ uri: { fsPath: path } }, { line: line - 1 })?.contents.value;
  }

  private async answer(request: string, args: unknown): Promise<unknown> {
    this.requests.push([request, args]);
    if (typeof this.session === 'function') return this.session(request, args);
    const answer = this.session[request];
    if (answer === undefined) throw new Error(`unknown request: ${request}`);
    return answer(args);
  }

  private vscode(): object {
    const { answers, asked, commands, contexts, documents, editors, errors, factories, providers, status } = this;
    const nothing = (): object => ({ dispose: () => undefined });
    return {
      window: {
        showInputBox: async (question: { readonly prompt: string }) => {
          asked.push(question);
          return answers.shift();
        },
        showQuickPick: async (items: readonly { readonly label: string }[]) => {
          const label = answers.shift();
          return items.find((item) => item.label === label);
        },
        showErrorMessage: async (text: string) => void errors.push(text),
        showInformationMessage: async () => undefined,
        showTextDocument: async () => undefined,
        withProgress: async (_options: object, action: () => Promise<unknown>) => action(),
        createTextEditorDecorationType: nothing,
        createStatusBarItem: () => status,
        onDidChangeVisibleTextEditors: nothing,
        visibleTextEditors: editors,
        get activeTextEditor() {
          return editors[0];
        },
      },
      commands: {
        registerCommand: (name: string, action: (...args: unknown[]) => Promise<void>) => commands.set(name, action),
        executeCommand: async (command: string, name: string, value: unknown) => void (command === 'setContext' && contexts.set(name, value)),
      },
      languages: { registerHoverProvider: (_selector: object, provider: HoverProvider) => (this.hovers = provider) },
      debug: {
        registerDebugAdapterDescriptorFactory: (type: string, factory: Factory) => factories.set(type, factory),
        registerDebugConfigurationProvider: (_type: string, provider: Provider) => providers.push(provider),
        onDidTerminateDebugSession: nothing,
        activeDebugSession: { type: 'culprit', customRequest: (request: string, args: unknown) => this.answer(request, args) },
      },
      workspace: { getConfiguration: () => ({ get: () => '/opt/culprit' }), openTextDocument: async ({ content }: { readonly content: string }) => documents.push(content) },
      DebugAdapterExecutable: class { constructor(readonly command: string, readonly args: string[]) {} },
      DebugAdapterServer: class { constructor(readonly port: number) {} },
      ThemeColor: class { constructor(readonly id: string) {} },
      MarkdownString: class { constructor(readonly value: string) {} },
      Hover: class { constructor(readonly contents: Markdown) {} },
      OverviewRulerLane: { Center: 2 }, StatusBarAlignment: { Left: 1 }, ProgressLocation: { Notification: 15 },
    };
  }

  /** A file of the extension, as VS Code loads it. */
  private load(name: string, vscode: object): unknown {
    const known = this.loaded.get(name);
    if (known !== undefined) return known;
    const exports = {};
    const holder = { exports: exports as unknown };
    const outside = createRequire(import.meta.url);
    const inside = (wanted: string): unknown => (wanted === 'vscode' ? vscode : wanted.startsWith('./') ? this.load(wanted.slice(2), vscode) : outside(wanted));
    const run = runInThisContext(Module.wrap(readFileSync(`${FOLDER}${name}`, 'utf8'))) as (...args: unknown[]) => void;
    run(exports, inside, holder, '', '');
    this.loaded.set(name, holder.exports);
    return holder.exports;
  }
}
