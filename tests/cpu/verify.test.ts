/** Whatever the lifter makes of any form obeys the rules of the IR, precise faults above all. */
import { expect, it } from 'vitest';
import { guestAddr } from '../../src/base/types.js';
import { verifyBlock } from '../../src/ir/verify.js';
import { printBlock } from '../../src/ir/printer.js';
import { lifterFor, Translator } from '../../src/x86/translate.js';
import { allForms } from './forms.js';
import { Harness, planFromEnvironment } from './harness.js';

it('every form is lifted to IR that the verifier accepts', () => {
  const harness = new Harness(planFromEnvironment({}), []);
  const encodings = harness.encodings(allForms().filter((f) => lifterFor(f.mnemonic) !== undefined));
  let bytes = new Uint8Array();
  let start = 0;
  const translator = new Translator((address, length) => bytes.slice(address - start, address - start + length));
  const problems = encodings.flatMap((encoding) => {
    bytes = Uint8Array.from(encoding.bytes);
    start = encoding.address;
    const block = translator.translate(guestAddr(start), 1);
    if (block === null) return [`${encoding.name}: nothing`];
    const found = verifyBlock(block);
    return found.length === 0 ? [] : [`${encoding.name}: ${found.join('; ')}\n${printBlock(block)}`];
  });
  expect(encodings.length).toBeGreaterThan(3000);
  expect(problems.slice(0, 5).join('\n')).toBe('');
});
