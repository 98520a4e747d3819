/** Every lifted instruction form against the real CPU. See README.md for how to run one. */
import { appendFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { lifterFor } from '../../src/x86/translate.js';
import { FORMS_NOT_COMPARED, NOT_COMPARED } from './exclusions.js';
import { allForms, type Form } from './forms.js';
import { Harness, planFromEnvironment } from './harness.js';
import { describeFailures, summarise } from './report.js';

const plan = planFromEnvironment(process.env);
const harness = new Harness(plan);
const reportFile = process.env['CULPRIT_CPU_REPORT'];

const compared = allForms().filter((f) => lifterFor(f.mnemonic) !== undefined && !NOT_COMPARED.has(f.mnemonicName) && !FORMS_NOT_COMPARED.has(f.name));
const wanted = plan.only === null ? compared : compared.filter((f) => f.name === plan.only?.split('/')[0]);
const byMnemonic = new Map<string, Form[]>();
for (const form of wanted) byMnemonic.set(form.mnemonicName, [...(byMnemonic.get(form.mnemonicName) ?? []), form]);

describe('instructions behave as on the real CPU', () => {
  it.each([...byMnemonic])('%s', (_mnemonic, forms) => {
    const { failures, cases } = harness.run(forms);
    if (reportFile !== undefined && failures.length > 0) appendFileSync(reportFile, summarise(failures, plan));
    expect(cases).toBeGreaterThan(0);
    if (failures.length > 0) expect.fail(describeFailures(failures, cases, plan));
  });
});
