/** Our own programs: what each is run with. The sources say what they are about. */
import { prose } from '../table/inputs.js';
import type { Invocation } from '../table/invocation.js';

export interface Program {
  readonly source: string;
  /** argv after the program's name, and the rest of an Invocation. */
  readonly runs: readonly ({ readonly args?: readonly string[] } & Omit<Invocation, 'name' | 'argv'>)[];
  /** Only this many of the usual variants: for what takes long to compile, or depends little on the compiler. */
  readonly variants?: number;
  /** Not with musl, which lacks something. */
  readonly glibcOnly?: boolean;
}

const ONCE = [{}];

const ENDINGS = ['return', 'exit', '_exit', 'quick', 'abort', 'kill', 'term', 'segv', 'ill', 'fpe', 'pipe', 'xfsz', 'closed'];

export const COMPUTATIONS: readonly Program[] = [
  { source: 'interpreter.c', runs: ONCE },
  { source: 'wideIntegers.c', runs: ONCE },
  { source: 'vectors.c', runs: ONCE },
  { source: 'atomics.c', runs: ONCE },
  { source: 'repeats.c', runs: ONCE, variants: 3 },
  { source: 'recursion.c', runs: ONCE },
  { source: 'bigSwitch.c', runs: ONCE },
  { source: 'digests.c', runs: ONCE },
  { source: 'floatLoops.c', runs: ONCE },
  { source: 'rounding.c', runs: ONCE },
  { source: 'mathFunctions.c', runs: ONCE },
  { source: 'longDouble.c', runs: ONCE },
  { source: 'varargs.c', runs: ONCE },
  { source: 'selfModifying.c', runs: ONCE },
  { source: 'cpuFeatures.c', runs: ONCE, variants: 2 },
  { source: 'containers.cc', runs: ONCE, variants: 1, glibcOnly: true },
  { source: 'exceptions.cc', runs: [{}, { args: ['terminate'] }], variants: 1, glibcOnly: true },
];

export const LIBRARY: readonly Program[] = [
  { source: 'stdioFormats.c', runs: ONCE },
  { source: 'strings.c', runs: ONCE },
  { source: 'sorting.c', runs: ONCE },
  { source: 'randomness.c', runs: ONCE, variants: 2 },
  { source: 'jumps.c', runs: ONCE },
  { source: 'times.c', runs: ONCE, variants: 3 },
  { source: 'allocation.c', runs: ONCE },
  { source: 'threadLocal.c', runs: ONCE },
  { source: 'locales.c', runs: ONCE, variants: 3 },
  { source: 'nonBlockingInput.c', runs: [{ args: ['much'], stdin: prose(2000) }, { args: ['nothing'] }], variants: 2 },
  { source: 'arguments.c', runs: [{ args: ['-a', '--output=file', 'rest', '-ovalue', '--level', '-l7', '--', '-b'] }, { args: ['--unknown', '-o'] }], variants: 4 },
];

export const KERNEL: readonly Program[] = [
  { source: 'segfaults.c', runs: ONCE },
  { source: 'badJumps.c', runs: ONCE, variants: 3 },
  { source: 'floatTraps.c', runs: ONCE },
  { source: 'timersAndSignals.c', runs: ONCE, variants: 4 },
  { source: 'stackOverflow.c', runs: ONCE, variants: 3 },
  { source: 'ending.c', runs: ENDINGS.map((how) => ({ args: [how] })), variants: 2 },
  { source: 'mappings.c', runs: ONCE, variants: 3 },
  { source: 'files.c', runs: ONCE, variants: 3 },
  { source: 'directories.c', runs: ONCE, variants: 3 },
  { source: 'pipes.c', runs: ONCE, variants: 3 },
  { source: 'procSelf.c', runs: [{ args: ['one', 'two words', ''] }], variants: 4 },
  { source: 'procDoors.c', runs: ONCE },
  { source: 'procFiles.c', runs: ONCE, glibcOnly: true },
  { source: 'executes.c', runs: ONCE, variants: 4 },
  { source: 'identity.c', runs: ONCE, variants: 2 },
];
