import { describe, expect, it } from 'vitest';
import { tableJson } from './tableJson.js';
import { tablePage } from './tablePage.js';
import { tableSarif } from './tableSarif.js';
import { tableText } from './tableText.js';
import { CLEAN, corrupts, hangs, input } from './testing/answers.js';
import { triageTable } from './triageTable.js';

const HOSTILE = '<img src=x onerror=alert(1)>&"\'\u001b[31m';
const INPUTS = [input('a', 3), input(HOSTILE, 2), input('c'), input('d')];
const TABLE = triageTable(INPUTS, new Map([[corrupts(12, 1)], [corrupts(12, 2)], [hangs()], [CLEAN]].map((answers, i) => [INPUTS[i]?.hash ?? '', { hash: INPUTS[i]?.hash ?? '', answers }])));
const COMMAND = { shown: './<prog>', args: ['@@'], directory: '/src' };

describe('the page', () => {
  const page = tablePage(TABLE, COMMAND);

  it('has no scripts, nothing from elsewhere, and nothing unescaped', () => {
    expect(page).not.toMatch(/<script|<img|https?:/);
    expect(page).not.toContain('\u001b');
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;&amp;&quot;&#39;\\e[31m');
    expect(page).toContain("default-src 'none'");
  });

  it('has a heading for each group, and tables with captions and headed columns', () => {
    expect(page.match(/<h1>/g)).toHaveLength(1);
    expect([...page.matchAll(/<h2 id="([^"]*)"/g)].map(([, id]) => id)).toEqual(['group-1', 'group-2', 'clean']);
    expect(page.match(/<table>/g)).toHaveLength(page.match(/<caption>/g)?.length ?? 0);
    expect(page).not.toMatch(/<th(?! scope="col")[ >]/);
    expect(page).toContain('href="#group-1"');
    expect(page).toContain('prefers-color-scheme: dark');
  });
});

it('text shows names so that they do nothing to a terminal', () => {
  expect(tableText(TABLE, COMMAND).join('\n')).not.toContain('\u001b');
});

it('SARIF has one result for each group, at the first corruption, with where it failed', () => {
  const { runs: [run] } = tableSarif(TABLE, COMMAND, { version: '1.0.0', commandLine: './prog @@', exitCode: 99 }) as { runs: { results: Record<string, unknown>[]; tool: { driver: { rules: { id: string }[] } } }[] };
  expect(run?.results).toHaveLength(2);
  expect(run?.results[0]).toMatchObject({
    ruleId: 'heap.buffer.overflow', occurrenceCount: 2,
    locations: [{ physicalLocation: { artifactLocation: { uri: 'a.c', uriBaseId: 'SRCROOT' }, region: { startLine: 12 } } }],
    relatedLocations: [{ physicalLocation: { region: { startLine: 1 } } }, { physicalLocation: { region: { startLine: 2 } } }],
  });
  expect(run?.results[1]).toMatchObject({ ruleId: 'triage.hang', locations: [] });
  expect(run?.tool.driver.rules.map(({ id }) => id)).toEqual(['heap.buffer.overflow', 'triage.hang']);
});

it('JSON names every input once', () => {
  const { groups, clean } = tableJson(TABLE, COMMAND) as { groups: { count: number; inputs: { name: string }[]; failures: unknown[] }[]; clean: { name: string }[] };
  expect([...groups.flatMap(({ inputs }) => inputs), ...clean].map(({ name }) => name).sort()).toEqual(INPUTS.map(({ name }) => name).sort());
  expect(groups[0]).toMatchObject({ count: 2, smallest: HOSTILE, failures: [{ count: 1 }, { count: 1 }] });
});
