/**
 * Culprit in VS Code. All debugging is done by `culprit dap`, which this starts; beyond that there are only commands:
 * record and debug a program, open a recording, go to a time or to the last change of a variable; slices (slices.js)
 * and alterations (alterations.js).
 */
'use strict';
const vscode = require('vscode');
const { alter, blame, checkpoint, compare, editAlterations, probe, rollback } = require('./alterations.js');
const { SliceView } = require('./slices.js');

const TYPE = 'culprit';

function activate(context) {
  const { subscriptions } = context;
  const command = (name, action) => subscriptions.push(vscode.commands.registerCommand(`culprit.${name}`, (...args) => shown(() => action(...args))));
  subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, { createDebugAdapterDescriptor }),
    vscode.debug.registerDebugConfigurationProvider(TYPE, { resolveDebugConfiguration }),
  );
  command('recordAndDebug', recordAndDebug);
  command('openRecording', openRecording);
  command('goToTime', goToTime);
  command('when', showTime);
  command('dropBranch', () => activeSession().customRequest('culprit/dropBranch'));
  command('lastChange', lastChange);
  command('lastChangeOfExpression', lastChangeOfExpression);
  const slices = new SliceView(ask);
  subscriptions.push(...slices.disposables);
  command('sliceFromHere', (where) => slices.make('culprit/slice', placeOf(where)));
  command('sliceForwardFromHere', (where) => slices.make('culprit/slice', { ...placeOf(where), direction: 'forward' }));
  command('sliceVariable', (item) => slices.make('culprit/slice', variableOf(item)));
  command('slice', () => slices.make('culprit/slice', {}));
  command('pruneSlice', async () => {
    const { id } = slices;
    const written = await vscode.window.showInputBox({ prompt: 'Leave out what is due to: variables, $registers, FILE:LINE or functions' });
    if (written) await slices.make('culprit/prune', { id, things: wordsOf(written) });
  });
  command('clearSlice', () => slices.clear());
  command('nextInSlice', () => ask('culprit/stepInSlice', { id: slices.id, direction: 'forward' }));
  command('previousInSlice', () => ask('culprit/stepInSlice', { id: slices.id, direction: 'backward' }));
  command('breakOnSlice', async () => {
    const { instances } = await ask('culprit/breakOnSlice', { id: slices.id });
    await vscode.window.showInformationMessage(`The program stops at ${instances.toLocaleString('en')} instances of slice ${slices.id}.`);
  });
  command('goToInstance', (time) => ask('culprit/goto', { time }));
  command('switchCondition', (where) => alter(ask, 'switch', placeOf(where)));
  command('suppressStatement', (where) => alter(ask, 'suppress', placeOf(where)));
  command('alterations', () => editAlterations(ask));
  command('compare', () => compare(ask));
  command('probe', () => probe(ask));
  command('blame', () => blame(ask));
  command('checkpoint', () => checkpoint(ask));
  command('rollback', () => rollback(ask));
}

async function ask(request, args) {
  return activeSession().customRequest(request, args);
}

/** From the menu of line numbers: VS Code says which line. From elsewhere: where the cursor is. */
function placeOf(where) {
  if (typeof where?.lineNumber === 'number') return { source: { path: where.uri.fsPath }, line: where.lineNumber };
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) throw new Error('Put the cursor on a line of the source.');
  return { source: { path: editor.document.uri.fsPath }, line: editor.selection.active.line + 1 };
}

function createDebugAdapterDescriptor(session) {
  const { debugServer } = session.configuration;
  if (typeof debugServer === 'number') return new vscode.DebugAdapterServer(debugServer);
  const path = vscode.workspace.getConfiguration('culprit', session.workspaceFolder).get('path') || 'culprit';
  return new vscode.DebugAdapterExecutable(path, ['dap']);
}

/** F5 without a launch.json: ask what to debug. */
async function resolveDebugConfiguration(folder, configuration) {
  if (configuration.type) return withToken(configuration);
  const program = await chooseFile('Program to record and debug');
  return program && launchOf(program, folder);
}

/** An adapter that another program has started, on a port, wants its token. Undefined, which ends it quietly: the user has none. */
async function withToken(configuration) {
  if (typeof configuration.debugServer !== 'number' || configuration.token) return configuration;
  const token = process.env.CULPRIT_DAP_TOKEN
    ?? (await vscode.window.showInputBox({ prompt: `The token that culprit dap --port ${configuration.debugServer} printed`, password: true, ignoreFocusOut: true }));
  return token && { ...configuration, token };
}

async function recordAndDebug(uri) {
  const program = uri?.fsPath ?? (await chooseFile('Program to record and debug'));
  if (program === undefined) return;
  const written = await vscode.window.showInputBox({ prompt: `Arguments of ${program}`, placeHolder: 'none' });
  if (written === undefined) return;
  const folder = vscode.workspace.workspaceFolders?.[0];
  await vscode.debug.startDebugging(folder, { ...launchOf(program, folder), args: wordsOf(written) });
}

async function openRecording(uri) {
  const recording = uri?.fsPath ?? (await chooseFile('Recording', { Recordings: ['culprit'] }));
  if (recording === undefined) return;
  await vscode.debug.startDebugging(vscode.workspace.workspaceFolders?.[0], { type: TYPE, request: 'attach', name: nameOf(recording), recording, openAt: 'end' });
}

function launchOf(program, folder) {
  return { type: TYPE, request: 'launch', name: `Record and debug ${nameOf(program)}`, program, args: [], cwd: folder?.uri.fsPath, openAt: 'end' };
}

async function goToTime() {
  const session = activeSession();
  const { time, endTime, hasEnd } = await session.customRequest('culprit/when');
  const wanted = await vscode.window.showInputBox({
    prompt: `Time to go to: instructions since the start, +N or -N from here, "start" or "end" (now ${time}${hasEnd === false ? '' : `, end ${endTime}`})`,
    value: String(time),
  });
  if (wanted !== undefined) await session.customRequest('culprit/goto', { time: wanted });
}

async function showTime() {
  const { time, endTime, branch, hasEnd } = await activeSession().customRequest('culprit/when');
  const where = branch === undefined ? '' : `, in a branch that began at ${branch.toLocaleString('en')}`;
  await vscode.window.showInformationMessage(`Time ${time.toLocaleString('en')}${hasEnd === false ? '' : ` of ${endTime.toLocaleString('en')}`} instructions${where}`);
}

/** From the context menu of a variable: VS Code says which, and what it is in. */
async function lastChange(item) {
  if (item?.variable !== undefined) await goToLastChange(variableOf(item));
}

/** As requests name it. */
function variableOf({ variable, container }) {
  const reference = container?.variablesReference;
  const args = reference > 0 && container?.expression === undefined ? { variablesReference: reference, name: variable.name } : { expression: variable.evaluateName ?? variable.name };
  return { ...inFrame(), ...args };
}

function inFrame() {
  const frame = vscode.debug.activeStackItem?.frameId;
  return frame === undefined ? {} : { frameId: frame };
}

async function lastChangeOfExpression() {
  const editor = vscode.window.activeTextEditor;
  const value = editor?.document.getText(editor.selection.isEmpty ? editor.document.getWordRangeAtPosition(editor.selection.active) : editor.selection);
  const expression = await vscode.window.showInputBox({ prompt: 'Expression', value });
  if (expression) await goToLastChange({ expression });
}

async function goToLastChange(args) {
  await ask('culprit/lastChange', { ...inFrame(), ...args });
}

function activeSession() {
  const session = vscode.debug.activeDebugSession;
  if (session?.type !== TYPE) throw new Error('No program is being debugged with Culprit.');
  return session;
}

async function chooseFile(title, filters) {
  const [file] = (await vscode.window.showOpenDialog({ title, canSelectMany: false, filters, defaultUri: vscode.workspace.workspaceFolders?.[0]?.uri })) ?? [];
  return file?.fsPath;
}

function nameOf(path) {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Words as a shell would see them, with quotes and backslashes. */
function wordsOf(text) {
  const words = [];
  let word;
  let quote = '';
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quote !== '' && c === quote) quote = '';
    else if (c === '\\' && quote !== "'" && i + 1 < text.length) word = (word ?? '') + text[++i];
    else if (quote !== '') word += c;
    else if (c === '"' || c === "'") [quote, word] = [c, word ?? ''];
    else if (/\s/.test(c)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + c;
  }
  return word === undefined ? words : [...words, word];
}

/** What goes wrong is said, and is no bug of VS Code's. */
async function shown(action) {
  try {
    await action();
  } catch (error) {
    await vscode.window.showErrorMessage(`Culprit: ${error instanceof Error ? error.message : String(error)}`);
  }
}

module.exports = { activate, deactivate: () => undefined, wordsOf };
