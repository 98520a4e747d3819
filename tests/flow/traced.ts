/** Programs with known chains: compiled, recorded, and asked where a value comes from at a marked line. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Debugger } from '../../src/debugger/control/debugger.js';
import { ValueEvaluator } from '../../src/debugger/values/valueEvaluator.js';
import { ValueFlow } from '../../src/flow/chain.js';
import { type DescribedChain, describeChain } from '../../src/flow/describe.js';
import { questionAbout } from '../../src/flow/question.js';
import { buildCoreModule } from '../../src/jit/coreModule.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { NEAR_FILES } from '../debugger/debugged.js';
import { record } from '../replay/recorded.js';

/** Made once; V8 does not compile the same bytes again as long as a module of them is alive. */
const coreModule = buildCoreModule();
export const KEPT = new WebAssembly.Module(coreModule);
const SOURCES = fileURLToPath(new URL('programs/', import.meta.url));
const BUILD_FOLDER = fileURLToPath(new URL('../build/flow/', import.meta.url));

/** The path of the program. */
export function compile(source: string, flags: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify([source, flags])).update(readFileSync(SOURCES + source)).digest('hex').slice(0, 16);
  const path = `${BUILD_FOLDER}${source}-${hash}`;
  if (!existsSync(path)) {
    mkdirSync(BUILD_FOLDER, { recursive: true });
    const temporary = `${path}.${process.pid}`;
    execFileSync(source.endsWith('.cc') ? 'g++' : 'gcc', ['-w', '-g', ...flags, '-o', temporary, SOURCES + source, '-pthread']);
    renameSync(temporary, path);
  }
  return path;
}

export interface Traced {
  readonly debug: Debugger;
  readonly flow: ValueFlow;
  /** Of an expression at the last time that a line with `// MARK: name` was reached. */
  at(mark: string, expression: string): Promise<DescribedChain>;
  /** Of an expression where the program ended. */
  atEnd(expression: string): Promise<DescribedChain>;
}

/** Programs do the same every time. */
const KNOWN = new Map<string, Promise<Traced>>();

export async function traced(source: string, flags: readonly string[] = ['-O0'], args: readonly string[] = []): Promise<Traced> {
  const key = [source, ...flags, '', ...args].join(' ');
  const known = KNOWN.get(key) ?? trace(source, flags, args);
  KNOWN.set(key, known);
  return known;
}

async function trace(source: string, flags: readonly string[], args: readonly string[]): Promise<Traced> {
  const { options } = await record([compile(source, flags), ...args], { engine: { coreModule } });
  const debug = await Debugger.open(new Timeline(options), { files: NEAR_FILES, evaluator: new ValueEvaluator() });
  const flow = new ValueFlow(debug.execution, debug.modules);
  const chain = async (expression: string): Promise<DescribedChain> => {
    const { backtrace, frame, execution } = debug;
    if (backtrace === undefined) throw new Error('no thread');
    const question = await questionAbout(expression, backtrace, frame, execution);
    return describeChain(flow, await flow.origin(question.position, question.thread, question.place), debug.sources);
  };
  return {
    debug, flow,
    async at(mark, expression) {
      await debug.goToEnd();
      const stop = debug.addBreakpoint(`${source}:${lineOf(source, mark)}`);
      const { kind } = await debug.continue('backward');
      debug.breakpoints.delete(stop.number);
      if (kind !== 'breakpoint') throw new Error(`${mark} was never reached: ${kind}`);
      return chain(expression);
    },
    async atEnd(expression) {
      await debug.goToEnd();
      return chain(expression);
    },
  };
}

export function lineOf(source: string, mark: string): number {
  const line = readFileSync(SOURCES + source, 'utf8').split('\n').findIndex((text) => text.includes(`// MARK: ${mark}`));
  if (line < 0) throw new Error(`${source} has no mark ${mark}`);
  return line + 1;
}

/** A chain as `target <- source | text of the line`, newest first; comments in the source left out. */
export function shownLinks({ links }: DescribedChain): string[] {
  return links.map(({ target, source, text, kind, called, offset }) => {
    const line = text?.replace(/\s*\/\/.*$/, '').trim() ?? '';
    const moved = offset === undefined ? '' : `${offset > 0n ? '+' : ''}${offset}`;
    const from = kind === 'copy' || kind === 'offset' ? `${source ?? '()'}${moved}${called === undefined ? '' : ` by ${called}`}` : `${kind}${called === undefined ? '' : ` ${called}`}`;
    return `${target ?? '()'} <- ${from} | ${line}`;
  });
}
