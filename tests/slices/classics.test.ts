/** What slicers are known to get wrong: exact lines (classics.ts). All of them are functions of one program. */
import { beforeAll, describe, expect, it } from 'vitest';
import { Debugger } from '../../src/debugger/control/debugger.js';
import { ValueEvaluator } from '../../src/debugger/values/valueEvaluator.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { Slices } from '../../src/slices/slices.js';
import { NEAR_FILES } from '../debugger/debugged.js';
import { record } from '../replay/recorded.js';
import { CLASSICS, type Classic } from './classics.js';
import { compileText } from './compiled.js';

const sources = CLASSICS.map(({ source }, i) => source.replace('int main(void)', `int case${i}(void)`));
/** Where each begins. */
const firsts = sources.map((_, i) => sources.slice(0, i).join('').split('\n').length);
const PROGRAM = `${sources.join('')}int main(void) {\n${sources.map((_, i) => `    case${i}();`).join('\n')}\n    return 0;\n}\n`;

let [file, slices]: [string, Slices | undefined] = ['', undefined];

beforeAll(async () => {
  const program = compileText('classics.c', PROGRAM, ['-O0']);
  file = `${program}.c`;
  const { options } = await record([program]);
  slices = new Slices(await Debugger.open(new Timeline(options), { files: NEAR_FILES, evaluator: new ValueEvaluator() }));
}, 60_000);

/** Lines of a case that end with one of the marks. */
function marked(index: number, marks: readonly string[]): number[] {
  const first = firsts[index] as number;
  return (sources[index] as string).split('\n').flatMap((line, i) => (marks.some((mark) => line.trimEnd().endsWith(mark)) ? [first + i] : []));
}

async function slicedLines({ things = [], kind }: Classic, index: number): Promise<number[]> {
  const [line] = marked(index, ['//?', '//!']);
  const { members } = await (slices as Slices).backward(`${file}:${line}`, things, kind === undefined ? {} : { kind });
  const [first, next] = [firsts[index] as number, firsts[index + 1] ?? PROGRAM.split('\n').findIndex((text) => text.startsWith('int main'))];
  const calls = PROGRAM.split('\n').findIndex((text) => text.trim() === `case${index}();`) + 1;
  const own = members.filter(({ path }) => path === file).map((member) => member.line);
  expect(own.filter((one) => (one < first || one >= next) && one !== calls)).toEqual([]);
  return own.filter((one) => one >= first && one < next);
}

describe('classics', () => {
  it.each(CLASSICS.map((one, i) => [one.name, one, i] as const))('%s', async (_, one, i) => {
    expect(await slicedLines(one, i)).toEqual(marked(i, ['//+', '//?']));
  });
});
