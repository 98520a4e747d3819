/** Random sequences of instructions against the real CPU. See README.md. */
import { appendFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { slotAddress } from './encodings.js';
import { Harness, planFromEnvironment } from './harness.js';
import { comparedForms } from './instructionTests.js';
import { describeFailures, summarise } from './report.js';
import { type Sequence, sequenceCase, type SequenceKind, SequenceMaker } from './sequences.js';

const plan = planFromEnvironment(process.env);
const harness = new Harness(plan);
const maker = new SequenceMaker(comparedForms(null), plan.seed);
const KINDS: readonly SequenceKind[] = ['flags', 'integer', 'loop', 'strings', 'vector', 'x87'];
/** Sequences that fit into the code area together. */
const BATCH = 250;
const BATCHES = 1;
const STATES = 4;

describe('sequences behave as on the real CPU', () => {
  it.each(KINDS)('%s', (kind) => {
    for (let batch = 0; batch < BATCHES * plan.encodingFactor; batch++) {
      const numbers = Array.from({ length: BATCH }, (_, i) => batch * BATCH + i).filter((n) => harness.wants(`${kind}-sequence/${n}`));
      const cases = numbers.flatMap((n) => {
        const sequence = maker.make(kind, n, slotAddress(n % BATCH));
        return Array.from({ length: STATES }, (_, k) => sequenceCase(sequence, k, plan.seed)).filter((c) => harness.wants(c.name));
      });
      const { failures } = harness.runCases(cases, (c) => (c.program as Sequence).tolerance);
      if (process.env['CULPRIT_CPU_REPORT'] !== undefined) appendFileSync(process.env['CULPRIT_CPU_REPORT'], summarise(failures, plan));
      if (failures.length > 0) expect.fail(describeFailures(failures, cases.length, plan));
    }
  }, plan.timeout);
});
