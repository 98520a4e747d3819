/** What if, in the editor: conditions inverted, statements left out, the list of all that, comparisons, checkpoints. */
'use strict';
const vscode = require('vscode');

const INSTANCES = [
  { label: 'Every time', which: 'all' },
  { label: 'The next time only', which: 'once' },
  { label: 'One of its times…', which: undefined },
];

/** `place`: a source and a line, as the adapter wants them. */
async function alter(ask, what, place) {
  const which = await chooseInstances(what);
  if (which !== undefined) await ask('culprit/alter', { what, which, ...place });
}

async function chooseInstances(what) {
  const chosen = await vscode.window.showQuickPick(INSTANCES, { placeHolder: what === 'switch' ? 'When does the condition go the other way?' : 'When is the statement left out?' });
  if (chosen === undefined || chosen.which !== undefined) return chosen?.which;
  const isNumber = (text) => (/^[1-9]\d{0,14}$/.test(text) ? undefined : 'A number, from 1 on: the first time, the second, …');
  const written = await vscode.window.showInputBox({ prompt: 'Which time that the program comes there, counted from its start', value: '1', validateInput: isNumber });
  return written === undefined ? undefined : Number(written);
}

/** The list: each can be switched on or off, deleted, or compared with the recording. */
async function editAlterations(ask) {
  const { alterations } = await ask('culprit/alterations');
  if (alterations.length === 0) throw new Error('Nothing is altered. Use "Switch This Condition" or "Leave This Statement Out" in the editor\'s menu.');
  const chosen = await vscode.window.showQuickPick(alterations.map((one) => ({ label: `${one.on ? '$(check)' : '$(circle-slash)'} ${one.text}`, description: one.on ? 'on' : 'off', one })), { placeHolder: 'Alterations' });
  if (chosen === undefined) return;
  const { id, on } = chosen.one;
  const actions = [{ label: on ? 'Switch off' : 'Switch on', action: on ? 'off' : 'on' }, { label: 'Delete', action: 'delete' }, { label: 'Compare with the recording', action: 'compare' }];
  const done = await vscode.window.showQuickPick(actions, { placeHolder: chosen.one.text });
  if (done?.action === 'compare') await compare(ask, { a: String(id) });
  else if (done !== undefined) await ask('culprit/alteration', { id, action: done.action });
}

/** In a document of its own. */
async function compare(ask, runs = {}) {
  const { text } = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: 'Culprit: comparing' }, () => ask('culprit/compare', runs));
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: `${text}\n`, language: 'diff' }), { preview: true });
}

/** What the failure needed: the one that is chosen is made, and the program stands in that branch. */
async function probe(ask) {
  const { tried, text } = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: 'Culprit: trying conditions and calls' }, () => ask('culprit/probe', {}));
  const gone = tried.filter((one) => one.verdict === 'gone');
  if (gone.length === 0) throw new Error('None of the conditions and calls that were tried makes the failure go away.');
  const items = gone.map((one) => ({ label: one.alteration, description: one.text, one }));
  const all = { label: '$(list-flat) Show all that was tried', one: undefined };
  const chosen = await vscode.window.showQuickPick([...items, all], { placeHolder: 'Without these it does not fail, the nearest to the failure first' });
  if (chosen === all) await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: `${text}\n` }), { preview: true });
  else if (chosen !== undefined) await ask('culprit/alter', { what: chosen.one.what, which: chosen.one.instance, ...placeOfTried(chosen.one) });
}

function placeOfTried({ file, line, part, place }) {
  return file === undefined ? { function: place } : { source: { path: file }, line, ...(part === undefined ? {} : { part }) };
}

async function checkpoint(ask) {
  const name = await vscode.window.showInputBox({ prompt: 'A name for this place, or nothing' });
  if (name === undefined) return;
  const made = await ask('culprit/checkpoint', name === '' ? {} : { name });
  await vscode.window.showInformationMessage(`Checkpoint ${titleOf(made)}.`);
}

async function rollback(ask) {
  const { checkpoints } = await ask('culprit/checkpoints');
  if (checkpoints.length === 0) throw new Error('There are no checkpoints.');
  const items = checkpoints.map((one) => ({ label: titleOf(one), description: `time ${one.time.toLocaleString('en')}${one.branch === undefined ? '' : ', in a branch'}`, id: one.id }));
  const chosen = await vscode.window.showQuickPick(items, { placeHolder: 'Checkpoint to go back to' });
  if (chosen !== undefined) await ask('culprit/rollback', { id: chosen.id });
}

function titleOf({ id, name, place }) {
  return `${id}${name === undefined ? '' : ` (${name})`}: ${place}`;
}

/** The statement that corrupted memory first: the editor goes there, and the evidence is beside it. */
async function blame(ask) {
  const { places, text } = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: 'Culprit: looking for the first corruption' }, () => ask('culprit/blame', {}));
  const [best] = places;
  if (best?.file !== undefined) {
    const line = new vscode.Position(best.line - 1, 0);
    await vscode.window.showTextDocument(vscode.Uri.file(best.file), { selection: new vscode.Range(line, line) });
  }
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: `${text}\n` }), { preview: true, viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
}

module.exports = { alter, blame, editAlterations, compare, probe, checkpoint, rollback };
