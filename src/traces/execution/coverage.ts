/** How often functions were called and lines ran (src/counts), for scripts. */
import { countStretch } from '../../counts/counting.js';
import { type ListedFunction, listExecuted, listFunctions } from '../../counts/functionListing.js';
import type { Counts } from '../../counts/counting.js';
import { at } from '../../replay/log/position.js';
import type { Work } from '../../replay/timeline/work.js';
import type { Scene } from './scene.js';
import type { SecondExecution } from './secondExecution.js';

export interface CoverageOptions {
  /** The first time that counts; default: the beginning. */
  readonly from?: number;
  /** The first time that does not count any more; default: the end. */
  readonly to?: number;
}

/** What ran in a part of an execution, of all threads and processes together. */
export class Coverage {
  constructor(private readonly counts: Counts) {}

  /** Instructions that were executed. */
  get instructions(): number {
    return this.counts.instructions;
  }

  /** The program's own functions that ran; `{ in: 'all' }`: those of libraries, too. */
  functions({ in: where }: { readonly in?: 'all' } = {}): ListedFunction[] {
    return this.counts.functions.filter(({ isOwn }) => isOwn || where === 'all').map((one) => listExecuted(one, this.counts));
  }

  /** Functions of a name, whether or not they ran, with how often each of their lines did. */
  function(name: string): ListedFunction[] {
    return listFunctions(name, this.counts);
  }

  /** How often a line of a file ran, which is named by its path or the end of it; 0 if it did not. */
  line(file: string, line: number): number {
    const paths = [...this.counts.lines].filter(([path]) => path === file || path.endsWith(`/${file}`));
    return paths.reduce((sum, [, lines]) => sum + (lines.get(line) ?? 0), 0);
  }

  toJSON(): unknown {
    return { instructions: this.instructions, functions: this.functions() };
  }
}

export async function coverageOf(scene: Scene, second: SecondExecution, { from, to }: CoverageOptions, work: Work | undefined): Promise<Coverage> {
  const stretch = { ...(from === undefined ? {} : { from: at(from, 0) }), ...(to === undefined ? {} : { to: at(to, 0) }) };
  return second.use(async (execution) => new Coverage(await countStretch(execution, scene.modules, stretch, work)));
}
