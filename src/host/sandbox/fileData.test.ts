import fc from 'fast-check';
import { expect, it } from 'vitest';
import { E } from '../../base/errno.js';
import { Budget } from '../../base/budget.js';
import { FileData } from './fileData.js';

const LOWER = Uint8Array.from({ length: 200_000 }, (_, i) => (i * 31 + (i >> 8)) & 0xff);
const lower = {
  read(target: Uint8Array, position: number): number {
    const bytes = LOWER.subarray(position, position + Math.min(target.length, 50_000));
    target.set(bytes);
    return bytes.length;
  },
};

class Model {
  constructor(public bytes: Uint8Array) {}

  write(data: Uint8Array, position: number): void {
    this.truncate(Math.max(this.bytes.length, position + data.length));
    this.bytes.set(data, position);
  }

  truncate(size: number): void {
    const bytes = new Uint8Array(size);
    bytes.set(this.bytes.subarray(0, size));
    this.bytes = bytes;
  }
}

const step = fc.record({
  which: fc.nat(8),
  what: fc.constantFrom('write', 'write', 'truncate', 'fork'),
  position: fc.oneof(fc.nat(300_000), fc.constantFrom(0, 65_535, 65_536, 131_072, 199_999, 200_000)),
  length: fc.nat(70_000),
});

it('holds what was written, over what was there, in each fork', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.array(step, { maxLength: 12 }), (overLower, steps) => {
      const budget = new Budget();
      const files = [overLower ? FileData.over(lower, LOWER.length) : FileData.empty()];
      const models = [new Model(overLower ? LOWER.slice() : new Uint8Array(0))];
      steps.forEach(({ which, what, position, length }, n) => {
        const file = files[which % files.length] as FileData;
        const model = models[which % files.length] as Model;
        if (what === 'fork') {
          files.push(file.fork());
          models.push(new Model(model.bytes.slice()));
        } else if (what === 'truncate') {
          expect(file.truncate(position, budget)).toBe(0);
          model.truncate(position);
        } else {
          const data = new Uint8Array(length).fill(n + 1);
          expect(file.write(data, position, budget)).toBe(length);
          if (length > 0) model.write(data, position);
        }
      });
      files.forEach((file, i) => {
        const bytes = new Uint8Array(file.size + 10);
        expect(file.read(bytes, 0)).toBe(file.size);
        expect(Buffer.compare(bytes.subarray(0, file.size), (models[i] as Model).bytes)).toBe(0);
      });
    }),
    { numRuns: 60 },
  );
});

it('copies only the blocks that are written to', () => {
  const budget = new Budget();
  const file = FileData.over(lower, LOWER.length);
  file.write(Uint8Array.of(1), 70_000, budget);
  expect(budget.used).toBe(65_536);
});

it('gives up when the memory is used up, and takes back what is cut off', () => {
  const budget = new Budget(100_000);
  const file = FileData.empty();
  expect(file.write(new Uint8Array(200_000), 0, budget)).toBe(65_536);
  expect(file.write(new Uint8Array(200_000), 65_536, budget)).toBe(-E.NOSPC);
  file.truncate(0, budget);
  expect(budget.used).toBe(0);
});
