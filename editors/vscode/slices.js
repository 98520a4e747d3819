/**
 * Slices in the editor: lines that are members are marked, with how often they were; hovering tells what a line depends
 * on, with links that go there; the status bar has the sizes. One slice is shown at a time.
 */
'use strict';
const vscode = require('vscode');

const SHOWN = 'culprit.hasSlice';

class SliceView {
  /** `ask` sends a request to the session that is debugged. */
  constructor(ask) {
    this.ask = ask;
    this.slice = undefined;
    this.marks = vscode.window.createTextEditorDecorationType({
      isWholeLine: true, backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
      overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.findMatchForeground'), overviewRulerLane: vscode.OverviewRulerLane.Center,
      after: { margin: '0 0 0 2em', color: new vscode.ThemeColor('editorCodeLens.foreground') },
    });
    this.status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Left);
    this.status.command = 'culprit.clearSlice';
    this.disposables = [
      this.marks, this.status,
      vscode.languages.registerHoverProvider({ scheme: 'file' }, { provideHover: (document, { line }) => this.hover(document.uri.fsPath, line + 1) }),
      vscode.window.onDidChangeVisibleTextEditors(() => this.mark()),
      vscode.debug.onDidTerminateDebugSession(({ type }) => type === 'culprit' && this.clear()),
    ];
  }

  async make(request, args) {
    await this.show(await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: 'Culprit: slicing' }, () => this.ask(request, args)));
  }

  async show(slice) {
    this.slice = slice;
    const { title, isForward, members, instances, instructions, distance } = slice;
    const count = (value) => value.toLocaleString('en');
    this.status.text = `$(type-hierarchy-sub) Slice ${slice.id}: ${count(members.length)} lines`;
    this.status.tooltip = `${title}\n${count(members.length)} lines, ${count(instances)} of ${count(instructions)} instructions, the farthest ${count(distance)} ${isForward ? 'on' : 'back'}.\nClick to clear.`;
    this.status.show();
    this.mark();
    await vscode.commands.executeCommand('setContext', SHOWN, true);
  }

  async clear() {
    this.slice = undefined;
    this.status.hide();
    this.mark();
    await vscode.commands.executeCommand('setContext', SHOWN, false);
  }

  /** The number of the slice that is shown. */
  get id() {
    if (this.slice === undefined) throw new Error('No slice is shown: make one first.');
    return this.slice.id;
  }

  mark() {
    for (const editor of vscode.window.visibleTextEditors) {
      const members = this.membersIn(editor.document.uri.fsPath).filter(({ line }) => line <= editor.document.lineCount);
      editor.setDecorations(this.marks, members.map(({ line, count }) => ({
        range: editor.document.lineAt(line - 1).range,
        renderOptions: { after: { contentText: count === 1 ? '' : `${count.toLocaleString('en')} times` } },
      })));
    }
  }

  membersIn(path) {
    return (this.slice?.members ?? []).filter(({ source }) => source?.path === path);
  }

  hover(path, line) {
    const member = this.membersIn(path).find((one) => one.line === line);
    if (member === undefined) return undefined;
    const text = new vscode.MarkdownString(hoverText(this.slice, member));
    text.isTrusted = { enabledCommands: ['culprit.goToInstance'] };
    return new vscode.Hover(text);
  }
}

/** What a line depends on, each with a link to when it was. Names are the program's: none of them is markup. */
function hoverText({ id }, { count, edges, first, last }) {
  const link = (text, time) => `[${text}](command:culprit.goToInstance?${encodeURIComponent(JSON.stringify([time]))})`;
  const place = (edge) => plain(edge.source === undefined ? edge.function ?? '??' : `${edge.source.name}:${edge.line}`);
  const times = count === 1 ? 'once' : `${count.toLocaleString('en')} times`;
  const title = `In slice ${id} ${times}: ${link('first', first)}${count === 1 ? '' : `, ${link('last', last)}`}`;
  const lines = edges.map((edge) => `- ${edge.kind} from ${link(place(edge), edge.time)}${edge.due === undefined ? '' : ` (${plain(edge.due)})`}`);
  return [title, ...(lines.length === 0 ? [] : ['', ...lines])].join('\n');
}

function plain(text) {
  return text.replace(/[\\`*_{}[\]()#+\-.!<>|~$]/g, '\\$&');
}

module.exports = { SliceView, hoverText };
