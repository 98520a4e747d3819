import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, it } from 'vitest';
import { ModuleBuilder } from '../../wasm/module.js';
import { trialVerdict, tryMachineCode } from './machineCodeTrial.js';
import { V8MachineCode } from './v8MachineCode.js';

const directory = fs.mkdtempSync(join(tmpdir(), 'culprit-trial-'));
afterAll(() => fs.rmSync(directory, { recursive: true }));

function countdown(): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder();
  const code = module.func('countdown', ['i32'], ['i32']);
  const again = code.loop();
  code.get(0).i32(1).op('i32.sub').tee(0).brIf(again).end();
  code.get(0);
  module.exportFunc('countdown', code.index);
  return module.build();
}

describe('machine code that V8 has made', () => {
  it('is kept when there is some', () => {
    const machineCode = new V8MachineCode(() => true);
    const module = new WebAssembly.Module(countdown());
    const run = new WebAssembly.Instance(module).exports['countdown'] as (rounds: number) => number;
    expect(machineCode.keep(module, [run, null])).toBeUndefined();
    let kept: Uint8Array | undefined;
    for (let call = 0; call < 5000 && kept === undefined; call++) {
      run(100_000);
      kept = machineCode.keep(module, [run]);
    }
    expect(kept?.length).toBeGreaterThan(100);
  });

  it('is asked for after a while, too, when V8 has thrown away what it made of the question', () => {
    const machineCode = new V8MachineCode(() => true);
    const module = new WebAssembly.Module(countdown());
    const ask = (): unknown => machineCode.keep(module, [new WebAssembly.Instance(module).exports['countdown']]);
    expect(ask).not.toThrow();
    for (const flag of ['--expose-gc', '--stress-flush-code']) setFlagsFromString(flag);
    try {
      const collect = runInNewContext('gc') as () => void;
      for (let round = 0; round < 3; round++) collect();
    } finally {
      setFlagsFromString('--no-stress-flush-code');
    }
    expect(ask).not.toThrow();
  });

  it('is not asked for where V8 is not known to do what we think', () => {
    const machineCode = new V8MachineCode(() => false);
    expect(machineCode.revive(countdown(), new Uint8Array(300))).toBeUndefined();
    expect(machineCode.keep(new WebAssembly.Module(countdown()), [])).toBeUndefined();
  });

  it('is refused if it is something else', () => {
    expect(new V8MachineCode(() => true).revive(countdown(), new Uint8Array(300).fill(7))).toBeUndefined();
  });
});

describe('the trial', () => {
  it('is remembered for a version of V8', () => {
    expect(trialVerdict(directory)).toBeUndefined();
    for (const verdict of ['good', 'no good']) {
      fs.writeFileSync(join(directory, `v8-${process.versions.v8}.trial`), verdict);
      expect(trialVerdict(directory)).toBe(verdict === 'good');
    }
  });

  it('fails where there is nothing to try it with', () => {
    // Sources have no script of their own for it.
    expect(tryMachineCode(directory)).toBe(false);
  });
});
