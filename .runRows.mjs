import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
const dir = '/work/wt/corpus/tests/blame/';
await build({ entryPoints: [dir + 'rows.ts', dir + 'corpus.ts', dir+'figure.ts'], outdir: '/work/wt/corpus/tests/build/rowsjs/x', format: 'esm', platform: 'node', bundle: false, allowOverwrite: true, outExtension: {'.js': '.js'} });
// run in place: sources refer to ./programs relative to file
import { cpSync, mkdirSync } from 'node:fs';
mkdirSync('/tmp/rowsjs/blame', { recursive: true });
cpSync('/work/wt/corpus/tests/build/rowsjs/x', '/tmp/rowsjs/blame', { recursive: true });
cpSync(dir + 'programs', '/tmp/rowsjs/blame/programs', { recursive: true });
const { ROWS } = await import('/tmp/rowsjs/blame/rows.js');
const { compiled, marksOf, sourceOf } = await import('/tmp/rowsjs/blame/corpus.js');
const only = process.argv[2]; const method = process.argv[3] ?? 'both';
for (const row of ROWS) {
  if (only && only !== 'all' && !`${row.program} ${row.input}`.includes(only)) continue;
  const path = compiled(row.program);
  const marks = marksOf(sourceOf(row.program));
  const expected = row.corrupt.map((m) => `${row.program}.c:${marks.get(m)}`);
  const t = process.cpuUsage(); const began = Date.now();
  const r = spawnSync('/work/main/bin/culprit', ['blame', '--list', '--method', method, path, ...row.args], { input: Buffer.from(row.stdin, 'latin1'), encoding: 'utf8' });
  const got = r.stdout.trim().split('\n');
  console.log(`${expected.includes(got[0]) ? 'ok  ' : expected.some((e) => got.includes(e)) ? 'amng' : 'MISS'} ${row.program} ${row.input}: got ${got.join(' ')} expected ${expected.join(' ')} exit ${r.status} ${((Date.now()-began)/1000).toFixed(1)}s ${r.stderr.slice(0,300)}`);
}
