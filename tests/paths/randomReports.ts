/** Random reports that follow all rules of the model, in the form that readers give them. */
import fc from 'fast-check';
import type { Path, PathReport, ReportedFile, Segment, Step } from '../../src/paths/model/path.js';

/** What XML and UTF-8 can say; links of SARIF's messages are words. */
// oxlint-disable-next-line no-control-regex
const text = fc.string({ unit: 'binary', maxLength: 12 }).map((one) => one.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff\ud800-\udfff]/g, '').replace(/\[|\]/g, ''));
const word = fc.string({ unit: fc.constantFrom(...'abcz_19é "&<>/:'), minLength: 1, maxLength: 8 }).map((one) => one.trim()).filter((one) => one !== '');
const fileName = fc.string({ unit: fc.constantFrom(...'abc/. #%é'), minLength: 1, maxLength: 10 });
const number = fc.integer({ min: 1, max: 1_000_000 });

function some<T extends object>(model: { readonly [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<Partial<T>> {
  return fc.record(model, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>;
}

const state = fc.dictionary(word, text, { minKeys: 1, maxKeys: 3 });
const step: fc.Arbitrary<Step> = some<Step>({
  file: fileName, line: number, column: number, endLine: number, endColumn: number, why: text, kinds: fc.uniqueArray(fc.constantFrom('call', 'return', 'branch'), { minLength: 1, maxLength: 2 }),
  importance: fc.constantFrom('important', 'essential', 'unimportant'), state, order: fc.nat(), snippet: word, module: word,
}).map(({ line, column, endLine, endColumn, snippet, ...rest }) => ({ ...rest, ...(line === undefined ? {} : { line, ...(column === undefined ? {} : { column }), ...(endLine === undefined ? {} : { endLine }), ...(endColumn === undefined ? {} : { endColumn }), ...(snippet === undefined ? {} : { snippet }) }) }));

interface Tree {
  readonly function?: string;
  readonly file?: string;
  readonly items: readonly { readonly step: Step; readonly called?: Tree }[];
}

const { tree } = fc.letrec<{ tree: Tree; item: Tree['items'][number] }>((tie) => ({
  item: fc.record({ step, called: fc.option(tie('tree'), { depthIdentifier: 'path', maxDepth: 4, nil: undefined }) }) as fc.Arbitrary<Tree['items'][number]>,
  tree: fc.record({ function: word, file: fileName, items: fc.array(tie('item'), { maxLength: 3, depthIdentifier: 'path' }) }, { requiredKeys: ['items'] }) as fc.Arbitrary<Tree>,
}));

/** Segments in the order in which a path comes to them. */
function segmentsOf(trees: readonly Tree[]): Segment[] {
  const segments: { function?: string; file?: string; steps: Step[] }[] = [];
  const add = ({ items, ...about }: Tree): void => {
    const steps: Step[] = [];
    segments.push({ ...about, steps });
    for (const { step: { file, ...rest }, called } of items) {
      // A step says its file only where it is another.
      const own = file === undefined || about.file === undefined || file === about.file ? rest : { file, ...rest };
      steps.push(called === undefined ? own : { ...own, detour: segments.length });
      if (called !== undefined) add(called);
    }
  };
  for (const one of trees) add(one);
  return segments;
}

const path: fc.Arbitrary<Path> = fc.record({ about: fc.record({ role: fc.constantFrom('flow', 'path', 'stack', 'location', 'related', 'thread 1'), title: word, group: fc.nat(5), thread: word }, { requiredKeys: ['role'] }), trees: fc.array(tree, { minLength: 1, maxLength: 2 }) })
  .map(({ about, trees }) => ({ ...about, segments: segmentsOf(trees) }) as Path);

export const randomReport: fc.Arbitrary<PathReport> = fc.record({
  rule: word, level: fc.constantFrom('error', 'warning', 'note', 'none'), message: text, tool: word, paths: fc.array(path, { maxLength: 3 }),
  suppressions: fc.uniqueArray(fc.record({ kind: fc.constantFrom('inSource', 'external'), status: fc.constantFrom('accepted', 'underReview', 'rejected'), justification: text }, { requiredKeys: ['kind'] }), { minLength: 1, maxLength: 2, selector: (one) => JSON.stringify(one) }),
}, { requiredKeys: ['message', 'paths', 'level', 'tool'] }) as fc.Arbitrary<PathReport>;

export const randomFiles: fc.Arbitrary<ReportedFile[]> = fc.uniqueArray(fc.record({ name: fileName.map((name) => name.replace(/^\/+/, 'f')), hashes: fc.record({ 'sha-256': fc.constant('ab01') }), text }, { requiredKeys: ['name'] }) as fc.Arbitrary<ReportedFile>, { selector: ({ name }) => name, maxLength: 3 });
