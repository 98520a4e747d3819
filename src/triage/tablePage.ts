/**
 * The table as a page: one file without scripts and without anything from elsewhere, which can be mailed or published
 * as it is. Names and messages come from programs and fuzzers: everything is escaped, and the page's own policy forbids
 * scripts in case that is not enough.
 */
import { visible } from '../base/visible.js';
import type { BlamedFrame } from '../blame/blameReport.js';
import { kindName, placeText } from './culprits.js';
import { counted, groupPlace, seeingCommand, type ShownCommand, summaryLine } from './tableText.js';
import type { TriageInput } from './triageInput.js';
import type { TriageGroup, TriageTable } from './triageTable.js';

const MOST_INPUTS = 200;

const STYLE = `
:root { color-scheme: light dark; --line: #c9ced6; --soft: #f3f5f8; --bad: #b3261e; --text: #1b1e23; --back: #fff; --weak: #59606b; }
@media (prefers-color-scheme: dark) { :root { --line: #3c424c; --soft: #22262d; --bad: #ff8a80; --text: #e6e8eb; --back: #16191d; --weak: #a3abb8; } }
body { margin: 2rem auto; max-width: 70rem; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); }
h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { font-size: 1.2rem; margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: 1rem; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin-bottom: .3rem; }
code, pre { font: 0.875rem/1.5 ui-monospace, monospace; } pre { background: var(--soft); padding: .6rem .8rem; overflow-x: auto; border-radius: .3rem; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; } caption { text-align: left; color: var(--weak); padding-bottom: .3rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .7rem .3rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; overflow-wrap: normal; } th { white-space: nowrap; }
td.what { overflow-wrap: normal; } .weak { color: var(--weak); } .bad { color: var(--bad); } a { color: inherit; } summary { cursor: pointer; }
`;

export function tablePage(table: TriageTable, command: ShownCommand): string {
  const title = `Triage of ${command.shown}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p>${escaped(summaryLine(table))}.</p>
<p class="weak"><code>${escaped([command.shown, ...command.args].join(' '))}</code></p>
${overview(table, command)}
${table.groups.map((group, i) => groupSection(group, i + 1, command)).join('\n')}
${section('Flaky', 'Runs of these inputs differ.', ['Input', 'What its runs said'], table.flaky.map(({ input, said }) => [input.name, said.join('; ')]))}
${section('Not done', 'What blames an input died twice.', ['Input', 'Why'], table.lost.map(({ input, why }) => [input.name, why]))}
${section('Undecided', 'No method came to an end.', ['Input', 'Bytes'], table.undecided.map((input) => [input.name, String(input.size)]))}
${cleanSection(table)}
</main>
</body>
</html>
`;
}

function overview({ groups }: TriageTable, { directory }: ShownCommand): string {
  if (groups.length === 0) return '<p>Nothing fails.</p>';
  const rows = groups.map((group, i) => `<tr><td class="number">${group.inputs.length}</td><td><a href="#group-${i + 1}">${escaped(groupPlace(group, directory))}</a></td><td class="what">${escaped(whatIs(group))}</td><td class="number">${group.sites.length}</td><td>${escaped(group.inputs[0]?.name ?? '')}</td></tr>`);
  return `<div class="scroll"><table>
<caption>Failures by what is to blame for them</caption>
<thead><tr><th scope="col" class="number">Inputs</th><th scope="col">Where</th><th scope="col">What</th><th scope="col" class="number">Failing places</th><th scope="col">Smallest input</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody></table></div>`;
}

function whatIs({ culprit, rules }: TriageGroup): string {
  return culprit.kind === 'corruption' && rules.length > 0 ? rules.join(', ') : kindName(culprit.kind);
}

function groupSection(group: TriageGroup, number: number, command: ShownCommand): string {
  const { inputs, answer, sites, culprit } = group;
  const [place] = answer.places;
  const parts = [
    `<h2 id="group-${number}">${number}. <span class="${culprit.kind === 'corruption' ? 'bad' : ''}">${escaped(groupPlace(group, command.directory))}</span></h2>`,
    `<p>${escaped(place?.what ?? answer.why)}</p>`,
    ...(place?.memory === undefined ? [] : [`<p class="weak">Memory: ${escaped(place.memory)}</p>`]),
    ...(inputs[0] === undefined ? [] : [`<h3>To see it</h3>`, `<pre tabindex="0">${escaped(seeingCommand(command, inputs[0]))}</pre>`]),
    ...(place === undefined || place.stack.length === 0 ? [] : ['<h3>Stack</h3>', `<pre tabindex="0">${place.stack.map((frame, i) => escaped(`#${i} ${stackLine(frame, command.directory)}`)).join('\n')}</pre>`]),
    ...(sites.length === 0 ? [] : [plainTable('Where the program failed then', ['Inputs', 'Place'], sites.map(({ text, count }) => [String(count), text]))]),
    ...(answer.remarks.length === 0 ? [] : ['<h3>Remarks</h3>', `<ul>${answer.remarks.map((remark) => `<li>${escaped(remark)}</li>`).join('')}</ul>`]),
    inputList(inputs),
  ];
  return `<section aria-labelledby="group-${number}">\n${parts.join('\n')}\n</section>`;
}

function stackLine(frame: BlamedFrame, directory: string): string {
  return placeText(frame, directory);
}

function inputList(inputs: readonly TriageInput[]): string {
  const rows = inputs.slice(0, MOST_INPUTS).map(({ name, size, copies }) => [name + (copies.length === 0 ? '' : ` (and ${counted(copies.length, 'copy').replace('copys', 'copies')})`), String(size)]);
  const more = inputs.length > MOST_INPUTS ? `<p class="weak">And ${inputs.length - MOST_INPUTS} more.</p>` : '';
  return `<details><summary>${escaped(counted(inputs.length, 'input'))}</summary>\n${plainTable('The smallest first', ['Input', 'Bytes'], rows)}${more}</details>`;
}

function cleanSection({ clean }: TriageTable): string {
  return clean.length === 0 ? '' : `<section aria-labelledby="clean">\n<h2 id="clean">Clean</h2>\n${inputList(clean)}\n</section>`;
}

function section(title: string, text: string, columns: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const id = title.toLowerCase().replaceAll(' ', '-');
  return `<section aria-labelledby="${id}">\n<h2 id="${id}">${escaped(title)}</h2>\n${plainTable(text, columns, rows)}\n</section>`;
}

function plainTable(caption: string, columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const isNumber = (column: number): string => (columns[column] === 'Inputs' || columns[column] === 'Bytes' ? ' class="number"' : '');
  const head = columns.map((name, i) => `<th scope="col"${isNumber(i)}>${escaped(name)}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((cell, i) => `<td${isNumber(i)}>${escaped(cell)}</td>`).join('')}</tr>`);
  return `<div class="scroll"><table>\n<caption>${escaped(caption)}</caption>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${body.join('\n')}\n</tbody></table></div>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return visible(text).replace(/[&<>"']/g, (found) => ENTITIES[found] ?? found);
}
