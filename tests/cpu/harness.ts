/** Puts it together: the cases of some forms, run on both sides and compared. */
import { assert } from '../../src/base/assert.js';
import { compareOutcomes, type Difference, type Tolerance, toleranceOf } from './compare.js';
import { type Encoding, encodingCount, makeEncoding, slotAddress } from './encodings.js';
import { CONFIGURATIONS, type EngineConfiguration, EngineRunner } from './engineRunner.js';
import type { Form } from './forms.js';
import type { Outcome, TestCase } from './machineState.js';
import { runNatively } from './nativeRunner.js';
import { makeCase } from './states.js';

export interface Plan {
  readonly seed: string;
  /** Encodings per form and states per encoding, relative to the quick run. */
  readonly encodingFactor: number;
  readonly states: number;
  /** Milliseconds for one test. */
  readonly timeout: number;
  /** Only this case, or this encoding: `Add_rm8_r8/3/5`. */
  readonly only: string | null;
}

export interface Failure {
  readonly configuration: string;
  readonly testCase: TestCase;
  readonly differences: readonly Difference[];
}

export interface Result {
  readonly cases: number;
  readonly failures: readonly Failure[];
}

/** Encodings that are in the code area together. */
const BATCH = 200;
const QUICK_STATES = 8;
const LONG_FACTOR = 10;
const QUICK_TIMEOUT = 120_000;
const LONG_TIMEOUT = 3_600_000;

/** What the environment asks for: CULPRIT_SEED, CULPRIT_LONG, CULPRIT_CASE. */
export function planFromEnvironment(env: Readonly<Record<string, string | undefined>>): Plan {
  const long = env['CULPRIT_LONG'] !== undefined && env['CULPRIT_LONG'] !== '';
  const only = env['CULPRIT_CASE'];
  return {
    seed: env['CULPRIT_SEED'] ?? '1',
    encodingFactor: long || only !== undefined ? LONG_FACTOR : 1,
    states: QUICK_STATES * (long || only !== undefined ? LONG_FACTOR : 1),
    timeout: long ? LONG_TIMEOUT : QUICK_TIMEOUT,
    only: only ?? null,
  };
}

export class Harness {
  private readonly runners = new Map<EngineConfiguration, EngineRunner>();

  constructor(
    readonly plan: Plan,
    readonly configurations: readonly EngineConfiguration[] = CONFIGURATIONS,
  ) {}

  /** Forms whose encodings decode as something else (or nothing) without special options have no encodings. */
  encodings(forms: readonly Form[]): Encoding[] {
    const found: Encoding[] = [];
    for (const form of forms) {
      for (let n = 0; n < encodingCount(form, this.plan.encodingFactor); n++) {
        if (!this.wants(`${form.name}/${n}`)) continue;
        const encoding = makeEncoding(form, n, this.plan.seed, slotAddress(found.length % BATCH));
        if (encoding.decodedCode === form.code) found.push(encoding);
      }
    }
    return found;
  }

  /** In batches, which limits what is in memory at a time. */
  run(forms: readonly Form[]): Result {
    const encodings = this.encodings(forms);
    const results: Result[] = [];
    for (let i = 0; i < encodings.length; i += BATCH) {
      const cases = encodings.slice(i, i + BATCH).flatMap((e) => this.cases(e));
      results.push(this.runCases(cases, (c) => toleranceOf(c.program as Encoding, c.state)));
    }
    return { cases: results.reduce((sum, r) => sum + r.cases, 0), failures: results.flatMap((r) => r.failures) };
  }

  private cases(encoding: Encoding): TestCase[] {
    const numbers = Array.from({ length: this.plan.states }, (_, n) => n).filter((n) => this.wants(`${encoding.name}/${n}`));
    return numbers.map((n) => makeCase(encoding, n, this.plan.seed));
  }

  /** Runs cases on both sides and compares. */
  runCases(cases: readonly TestCase[], tolerance: (c: TestCase) => Tolerance): Result {
    const expected = runNatively(cases);
    const failures = this.configurations.flatMap((configuration) => this.compare(configuration, cases, expected, tolerance));
    return { cases: cases.length, failures };
  }

  /** Whether the plan wants a case, or some of what has this name in front. */
  wants(name: string): boolean {
    const { only } = this.plan;
    return only === null || only === name || only.startsWith(`${name}/`) || name.startsWith(`${only}/`);
  }

  private compare(
    configuration: EngineConfiguration, cases: readonly TestCase[], expected: readonly Outcome[], tolerance: (c: TestCase) => Tolerance,
  ): Failure[] {
    const got = this.runner(configuration).run(cases);
    return cases.flatMap((testCase, i) => {
      const cpu = expected[i];
      const engine = got[i];
      assert(cpu !== undefined && engine !== undefined, 'an outcome per case');
      const differences = compareOutcomes(tolerance(testCase), testCase, cpu, engine);
      return differences.length === 0 ? [] : [{ configuration: configuration.name, testCase, differences }];
    });
  }

  private runner(configuration: EngineConfiguration): EngineRunner {
    const known = this.runners.get(configuration);
    if (known !== undefined) return known;
    const made = new EngineRunner(configuration);
    this.runners.set(configuration, made);
    return made;
  }
}
