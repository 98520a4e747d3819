/** The tests of cpu.test.ts and cpuVector.test.ts: one per mnemonic, in two files so that they can run side by side. */
import { appendFileSync } from 'node:fs';
import { CpuidFeature } from 'iced-x86';
import { describe, expect, it } from 'vitest';
import { lifterFor } from '../../src/x86/translate.js';
import { FORMS_NOT_COMPARED, NOT_COMPARED } from './exclusions.js';
import { allForms, type Form } from './forms.js';
import { Harness, planFromEnvironment } from './harness.js';
import { describeFailures, summarise } from './report.js';

const VECTOR_FEATURES: ReadonlySet<CpuidFeature> = new Set([
  CpuidFeature.MMX, CpuidFeature.SSE, CpuidFeature.SSE2, CpuidFeature.SSE3, CpuidFeature.SSSE3, CpuidFeature.SSE4_1, CpuidFeature.SSE4_2,
]);

export function isVectorForm(form: Form): boolean {
  return form.features.some((f) => VECTOR_FEATURES.has(f));
}

/** Defines the tests of all compared forms that `belongs` takes. */
export function defineInstructionTests(belongs: (form: Form) => boolean): void {
  const plan = planFromEnvironment(process.env);
  const harness = new Harness(plan);
  const reportFile = process.env['CULPRIT_CPU_REPORT'];
  const byMnemonic = groupByMnemonic(comparedForms(plan.only).filter(belongs));

  describe('instructions behave as on the real CPU', () => {
    // A single case is in one of the files; the other has nothing to do then.
    if (byMnemonic.size === 0) it.skip('no case here', () => {});
    it.each([...byMnemonic])('%s', (_mnemonic, forms) => {
      const { failures, cases } = harness.run(forms);
      if (reportFile !== undefined && failures.length > 0) appendFileSync(reportFile, summarise(failures, plan));
      expect(cases).toBeGreaterThan(0);
      if (failures.length > 0) expect.fail(describeFailures(failures, cases, plan));
    }, plan.timeout);
  });
}

export function comparedForms(only: string | null): Form[] {
  const isCompared = (f: Form): boolean => !NOT_COMPARED.has(f.mnemonicName) && !FORMS_NOT_COMPARED.has(f.name);
  const forms = allForms().filter((f) => lifterFor(f.mnemonic) !== undefined && isCompared(f));
  return only === null ? forms : forms.filter((f) => f.name === only.split('/')[0]);
}

function groupByMnemonic(forms: readonly Form[]): Map<string, Form[]> {
  const groups = new Map<string, Form[]>();
  for (const form of forms) {
    const group = groups.get(form.mnemonicName);
    if (group === undefined) groups.set(form.mnemonicName, [form]);
    else group.push(form);
  }
  return groups;
}
