/** What `culprit branch` changes, as the command line has it. */
import { UserError } from '../../base/errors.js';
import type { RecordedBranch } from '../../replay/branch/recordedBranch.js';
import type { StoredModules } from '../../replay/play/storedModules.js';
import { memoryPlace } from './memoryPlace.js';

export type Change = { readonly kind: 'set' | 'write'; readonly text: string } | { readonly kind: 'skip' | 'flip' };

const NUMBER = /^-?(0x[0-9a-f]+|\d+)$/i;
const LARGEST = 8;

/** For the thread that runs. Throws a UserError if it makes no sense there. */
export async function makeChange(branch: RecordedBranch, change: Change, modules: StoredModules): Promise<void> {
  const thread = branch.state.current?.id;
  if (thread === undefined) throw new UserError('no thread runs at that time: there is nothing to change');
  switch (change.kind) {
    case 'skip':
      return branch.skip(thread);
    case 'flip':
      return branch.flip();
    case 'set':
      return setRegister(branch, thread, change.text);
    case 'write':
      return write(branch, thread, change.text, modules);
  }
}

async function setRegister(branch: RecordedBranch, thread: number, text: string): Promise<void> {
  const [, name = '', value = ''] = /^\$?(\w+)=(.+)$/.exec(text) ?? [];
  await branch.setRegister(thread, name === '' ? text : name, numberIn(value, `--set ${text}`, '--set rax=0x10'));
}

async function write(branch: RecordedBranch, thread: number, text: string, modules: StoredModules): Promise<void> {
  const [, address, digits = ''] = /^(0x[0-9a-f]+):((?:[0-9a-f]{2})+)$/i.exec(text) ?? [];
  if (address !== undefined) return branch.writeMemory(thread, Number(address), Uint8Array.from(digits.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)));
  const split = text.indexOf('=');
  const example = '--write count=5 or --write 0x4c6310:05000000';
  if (split <= 0) throw new UserError(`--write ${text}: cannot be understood; for example ${example}`);
  const { start, end } = memoryPlace(text.slice(0, split), modules, branch.state.space(thread));
  if (end - start > LARGEST) throw new UserError(`${text.slice(0, split)} has ${end - start} bytes: say which to write, as NAME+OFFSET:BYTES=VALUE`);
  const value = numberIn(text.slice(split + 1), `--write ${text}`, example);
  const bytes = new Uint8Array(BigUint64Array.of(BigInt.asUintN(64, value)).buffer);
  await branch.writeMemory(thread, start, bytes.subarray(0, end - start));
}

function numberIn(text: string, option: string, example: string): bigint {
  if (!NUMBER.test(text)) throw new UserError(`${option}: cannot be understood; for example ${example}`);
  return text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text);
}
