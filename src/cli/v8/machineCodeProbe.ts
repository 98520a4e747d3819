/**
 * A process of its own (machineCodeTrial.ts): `write FILE` optimises a small module and keeps its machine code in the
 * file, `read FILE` revives it from there. Exits with 0 if that works.
 */
import fs from 'node:fs';
import { ModuleBuilder } from '../../wasm/module.js';
import { setPatience } from './tiering.js';
import { V8MachineCode } from './v8MachineCode.js';

const ROUNDS = 100_000;
const SUM = (ROUNDS * (ROUNDS + 1)) / 2 % 2 ** 32;
const MOST_CALLS = 2000;

type Sum = (rounds: number) => number;

/** Adds up the numbers to its argument. */
function moduleBytes(): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder();
  const code = module.func('sum', ['i32'], ['i32']);
  const sum = code.local('i32');
  const again = code.loop();
  code.get(sum).get(0).op('i32.add').set(sum);
  code.get(0).i32(1).op('i32.sub').tee(0).brIf(again).end();
  code.get(sum);
  module.exportFunc('sum', code.index);
  return module.build();
}

function sumOf(module: WebAssembly.Module): Sum {
  return new WebAssembly.Instance(module).exports['sum'] as Sum;
}

function write(file: string): boolean {
  const machineCode = new V8MachineCode(() => true);
  const module = new WebAssembly.Module(moduleBytes());
  const sum = sumOf(module);
  if (machineCode.keep(module, [sum]) !== undefined) return false;
  for (let call = 0; call < MOST_CALLS; call++) {
    sum(ROUNDS);
    const kept = machineCode.keep(module, [null, sum]);
    if (kept === undefined) continue;
    fs.writeFileSync(file, kept, { mode: 0o600 });
    return true;
  }
  return false;
}

/** What is no machine code must be refused. */
function read(file: string): boolean {
  const machineCode = new V8MachineCode(() => true);
  const kept = new Uint8Array(fs.readFileSync(file));
  const bytes = moduleBytes();
  if (machineCode.revive(bytes, new Uint8Array(kept.length)) !== undefined) return false;
  const module = machineCode.revive(bytes, kept);
  return module !== undefined && sumOf(module)(ROUNDS) >>> 0 === SUM;
}

const [, , step, file] = process.argv as [string, string, string, string];
setPatience('guest code');
process.exitCode = (step === 'write' ? write(file) : read(file)) ? 0 : 1;
