/**
 * That nothing is forgotten: every form is lifted or known to be missing, everything lifted is compared or known not to
 * be.
 */
import { Mnemonic } from 'iced-x86';
import { describe, expect, it } from 'vitest';
import { lifterFor } from '../../src/x86/translate.js';
import { FORMS_NOT_COMPARED, NOT_COMPARED, NOT_LIFTED } from './exclusions.js';
import { allForms } from './forms.js';
import { Harness, planFromEnvironment } from './harness.js';

const forms = allForms();
const isLifted = (name: string): boolean => forms.some((f) => f.mnemonicName === name && lifterFor(f.mnemonic) !== undefined);

describe('coverage of x86-64-v2', () => {
  it('has a lifter for every instruction, or a reason why not', () => {
    const missing = new Set(forms.filter((f) => lifterFor(f.mnemonic) === undefined).map((f) => f.mnemonicName));
    expect([...missing].filter((name) => !NOT_LIFTED.has(name))).toEqual([]);
  });

  it('does not call an instruction missing that is there', () => {
    expect([...NOT_LIFTED.keys()].filter(isLifted)).toEqual([]);
  });

  it('compares every lifted instruction, or has a reason why not', () => {
    const lifted = Object.values(Mnemonic).filter((m): m is Mnemonic => typeof m === 'number' && lifterFor(m) !== undefined);
    const names = lifted.map((m) => (Mnemonic[m] as string).toLowerCase());
    const withForm = new Set(forms.map((f) => f.mnemonicName));
    expect(names.filter((name) => !withForm.has(name) && !NOT_COMPARED.has(name))).toEqual([]);
  });

  it('has an encoding of every compared form', () => {
    const compared = forms.filter((f) => isLifted(f.mnemonicName) && !NOT_COMPARED.has(f.mnemonicName) && !FORMS_NOT_COMPARED.has(f.name));
    const plan = { ...planFromEnvironment({}), encodingFactor: 1 };
    const made = new Set(new Harness(plan).encodings(compared).map((e) => e.form.name));
    expect(compared.map((f) => f.name).filter((name) => !made.has(name))).toEqual([]);
  });

  it('names only forms that exist in its exclusions', () => {
    const names = new Set(forms.map((f) => f.name));
    expect([...FORMS_NOT_COMPARED.keys()].filter((name) => !names.has(name))).toEqual([]);
  });
});
