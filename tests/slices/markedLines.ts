/** Small programs with marked lines, all of them functions of one program: which lines their slices have. */
import { expect } from 'vitest';
import { Debugger } from '../../src/debugger/control/debugger.js';
import { ValueEvaluator } from '../../src/debugger/values/valueEvaluator.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import type { Slice } from '../../src/slices/slice.js';
import { Slices } from '../../src/slices/slices.js';
import { NEAR_FILES } from '../debugger/debugged.js';
import { record } from '../replay/recorded.js';
import type { Classic } from './classics.js';
import { compileText } from './compiled.js';

export class MarkedLines {
  readonly slices: Slices;
  private readonly sources: readonly string[];
  /** Where each begins. */
  private readonly firsts: readonly number[];

  private constructor(
    private readonly file: string,
    private readonly text: string,
    sources: readonly string[],
    before: string,
    slices: Slices,
  ) {
    this.slices = slices;
    this.sources = sources;
    this.firsts = sources.map((_, i) => [before, ...sources.slice(0, i)].join('').split('\n').length);
  }

  /** `before`: what all of them need. */
  static async of(name: string, cases: readonly Classic[], flags: readonly string[], before = ''): Promise<MarkedLines> {
    const sources = cases.map(({ source }, i) => source.replace('int main(void)', `int case${i}(void)`));
    const text = `${before}${sources.join('')}int main(void) {\n${sources.map((_, i) => `    case${i}();`).join('\n')}\n    return 0;\n}\n`;
    const program = compileText(name, text, flags);
    const { options } = await record([program]);
    const slices = new Slices(await Debugger.open(new Timeline(options), { files: NEAR_FILES, evaluator: new ValueEvaluator() }));
    return new MarkedLines(`${program}.c`, text, sources, before, slices);
  }

  /** Lines of a case that end with one of the marks. */
  marked(index: number, marks: readonly string[]): number[] {
    const first = this.firsts[index] as number;
    return (this.sources[index] as string).split('\n').flatMap((line, i) => (marks.some((mark) => line.trimEnd().endsWith(mark)) ? [first + i] : []));
  }

  async slice({ things = [], kind }: Classic, index: number): Promise<Slice> {
    const [line] = this.marked(index, ['//?', '//!']);
    return this.slices.backward(`${this.file}:${line}`, things, kind === undefined ? {} : { kind });
  }

  async sliced(one: Classic, index: number): Promise<number[]> {
    const { file, firsts, text } = this;
    const { members } = await this.slice(one, index);
    const lines = text.split('\n');
    const [first, next] = [firsts[index] as number, firsts[index + 1] ?? lines.findIndex((one) => one.startsWith('int main'))];
    const calls = lines.findIndex((one) => one.trim() === `case${index}();`) + 1;
    const own = members.filter(({ path }) => path === file).map((member) => member.line);
    expect(own.filter((one) => (one < first || one >= next) && one !== calls)).toEqual([]);
    return own.filter((one) => one >= first && one < next);
  }
}
