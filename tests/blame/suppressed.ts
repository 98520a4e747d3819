/** Programs of these tests: compiled, recorded, and run again with instructions left out. */
import { branchesOf } from '../../src/cli/opening/branchesOf.js';
import { NODE_FILES } from '../../src/cli/opening/nodeFiles.js';
import { guestAddr } from '../../src/base/types.js';
import { suppressedRun, type SuppressedRun, type SuppressionPoint, systemCallPoint } from '../../src/blame/suppression/suppressedRun.js';
import { Debugger } from '../../src/debugger/control/debugger.js';
import { ValueEvaluator } from '../../src/debugger/values/valueEvaluator.js';
import { buildCoreModule } from '../../src/jit/coreModule.js';
import type { TimelineBranches } from '../../src/replay/branch/timelineBranches.js';
import { at } from '../../src/replay/log/position.js';
import { memoryRange } from '../../src/replay/timeline/conditions.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { record } from '../replay/recorded.js';
import { compileText } from '../slices/compiled.js';

/** Made once: V8 does not compile the same bytes again as long as a module of them is alive. */
const coreModule = buildCoreModule();
export const KEPT = new WebAssembly.Module(coreModule);

export interface Subject {
  readonly debug: Debugger;
  readonly recording: Timeline;
  readonly maker: TimelineBranches;
  readonly instructions: number;
  readonly output: string;
}

export async function subject(name: string, text: string, flags: readonly string[], args: readonly string[] = [], stdin?: string): Promise<Subject> {
  const path = compileText(name, text, flags);
  const { options, instructions, output } = await record([path, ...args], { engine: { coreModule }, ...(stdin === undefined ? {} : { stdin }) });
  const recording = new Timeline(options);
  const maker = branchesOf(new Timeline(options), options);
  const debug = await Debugger.open(recording, { files: NODE_FILES, evaluator: new ValueEvaluator(), branches: maker });
  return { debug, recording, maker, instructions, output };
}

/** Where a global variable lies. */
export async function addressOf({ recording, debug }: Subject, symbol: string): Promise<number> {
  const [thread] = recording.state.threads;
  if (thread === undefined) await recording.backward([{ kind: 'syscall' }]);
  const id = recording.state.threads[0]?.id ?? 1;
  for (const module of debug.modules.of(recording.state, id).all) {
    const address = module.symbolAddress(symbol);
    if (address !== undefined) return address + Number(module.bias);
  }
  throw new Error(`no ${symbol}`);
}

/** The last instruction that wrote a global variable. */
export async function lastWriteOf(one: Subject, symbol: string, bytes = 8): Promise<SuppressionPoint> {
  const address = guestAddr(await addressOf(one, symbol));
  const hit = await one.recording.lastWrite([memoryRange(address, bytes)]);
  if (hit === undefined) throw new Error(`${symbol} is never written`);
  return hit.access?.by === 'kernel' ? systemCallPoint(one.recording, hit.position, hit.task) : { position: at(hit.position.time), thread: hit.task };
}

export async function suppressed({ debug, maker }: Subject, points: readonly SuppressionPoint[], limit?: number): Promise<SuppressedRun> {
  const made = await suppressedRun(debug, points, { maker, ...(limit === undefined ? {} : { limit }) });
  await made.branch.seekEnd();
  return made;
}

/** What a run has printed since it began. */
export function printed({ branch }: SuppressedRun): string {
  return Buffer.concat(branch.output.map(({ bytes }) => bytes)).toString();
}
