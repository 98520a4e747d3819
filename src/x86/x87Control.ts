/**
 * x87 control: control and status words, environment, saved state. Forms named fn* do not look for
 * pending exceptions; iced decodes the waiting forms as wait and the fn* form, but may also name them.
 */
import { Mnemonic } from 'iced-x86';
import { RAX } from '../layout/cpuState.js';
import type { Value } from '../ir/ir.js';
import { X87_RUN, type X87Run } from '../ir/x87Ops.js';
import type { Address, Family, Lift, LiftFn } from './lift.js';
import { record, waiting } from './x87Lift.js';

/** Words of the environment, as `x87.envWord` counts them. */
const ENV_CONTROL = 0;
const ENV_STATUS = 1;
const ENV_WORDS = 7;
const REGISTERS = 8;

function runAlone(name: X87Run): LiftFn {
  return (l) => {
    l.b.opImm('x87.run', X87_RUN.indexOf(name));
  };
}

const at = (address: Address, offset: number): Address => ({ base: address.base, disp: address.disp + offset });

/** A word of the environment, without the ones above its 16 bits. */
function envWord(l: Lift, index: number): Value {
  return l.cut(l.b.opImm('x87.envWord', index), 2);
}

function storeControl(l: Lift): void {
  l.store(2, l.address(), envWord(l, ENV_CONTROL));
}

function storeStatus(l: Lift): void {
  const value = envWord(l, ENV_STATUS);
  if (l.insn.isMemory(0)) l.store(2, l.address(), value);
  else l.writeGpr({ slot: RAX, bytes: 2, high: false }, value);
}

function loadControl(l: Lift): void {
  l.b.op('x87.setControl', l.load(2, l.address()));
}

/** Bytes of one word of the environment: the operand-size prefix halves them. */
function wordBytes(l: Lift): 2 | 4 {
  const bytes = l.memoryBytes();
  return bytes === 14 || bytes === 94 ? 2 : 4;
}

/** The stores of fnstenv; the caller has probed. */
function storeWords(l: Lift, address: Address): void {
  const bytes = wordBytes(l);
  for (let i = 0; i < ENV_WORDS; i++) {
    // The short form has no opcode beside the code segment: a 16-bit store drops it.
    l.store(bytes, at(address, i * bytes), l.b.opImm('x87.envWord', i));
  }
}

function storeEnvironment(l: Lift): void {
  const address = l.address();
  l.b.opImm('probeWrite', wordBytes(l) * ENV_WORDS, l.sum(address));
  storeWords(l, address);
  l.b.opImm('x87.run', X87_RUN.indexOf('maskAll'));
}

function saveState(l: Lift): void {
  const address = l.address();
  const start = wordBytes(l) * ENV_WORDS;
  l.b.opImm('probeWrite', start + 10 * REGISTERS, l.sum(address));
  storeWords(l, address);
  for (let i = 0; i < REGISTERS; i++) {
    l.store(8, at(address, start + 10 * i), l.b.opImm('x87.mantissa', i));
    l.store(2, at(address, start + 10 * i + 8), l.b.opImm('x87.signExponent', i));
  }
  l.b.opImm('x87.run', X87_RUN.indexOf('fninit'));
}

function loadWords(l: Lift, address: Address): Value[] {
  const bytes = wordBytes(l);
  return Array.from({ length: ENV_WORDS }, (_, i) => l.load(bytes, at(address, i * bytes)));
}

function setEnvironment(l: Lift, words: readonly Value[]): void {
  const { b } = l;
  const [controlWord, statusWord, tagWord, ip, selector, dp] = words as [Value, Value, Value, Value, Value, Value];
  b.op('x87.setEnv', controlWord, statusWord, tagWord);
  const opcode = b.op('i32.shr_u', selector, b.i32(16));
  b.op('x87.setPointers', l.to64(ip, 4), l.to64(dp, 4), opcode);
}

function loadEnvironment(l: Lift): void {
  setEnvironment(l, loadWords(l, l.address()));
}

function restoreState(l: Lift): void {
  const address = l.address();
  const start = wordBytes(l) * ENV_WORDS;
  const words = loadWords(l, address);
  const registers = Array.from({ length: REGISTERS }, (_, i): [Value, Value] => [
    l.load(8, at(address, start + 10 * i)), l.load(2, at(address, start + 10 * i + 8)),
  ]);
  setEnvironment(l, words);
  registers.forEach(([mantissa, signExponent], i) => l.b.opImm('x87.setRegister', i, mantissa, signExponent));
}

function nothing(): void {}

export const X87_CONTROL: Family = new Map<Mnemonic, LiftFn>([
  [Mnemonic.Fnstcw, storeControl], [Mnemonic.Fstcw, waiting(storeControl)],
  [Mnemonic.Fnstsw, storeStatus], [Mnemonic.Fstsw, waiting(storeStatus)],
  [Mnemonic.Fldcw, waiting(loadControl)],
  [Mnemonic.Fnclex, runAlone('fnclex')], [Mnemonic.Fclex, waiting(runAlone('fnclex'))],
  [Mnemonic.Fninit, runAlone('fninit')], [Mnemonic.Finit, waiting(runAlone('fninit'))],
  [Mnemonic.Fnstenv, storeEnvironment], [Mnemonic.Fstenv, waiting(storeEnvironment)],
  [Mnemonic.Fldenv, waiting(loadEnvironment)],
  [Mnemonic.Fnsave, saveState], [Mnemonic.Fsave, waiting(saveState)],
  [Mnemonic.Frstor, waiting(restoreState)],
  [Mnemonic.Fnop, waiting(record)],
  [Mnemonic.Wait, waiting(nothing)],
  // Of the 8087 and 80287; nothing happens.
  [Mnemonic.Fndisi, nothing], [Mnemonic.Fneni, nothing], [Mnemonic.Fnsetpm, nothing],
]);
