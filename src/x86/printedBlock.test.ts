import { expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import { Translator } from './translate.js';
import { printBlock } from '../ir/printer.js';
import { verifyBlock } from '../ir/verify.js';

/** push rbp; mov rbp, rsp; cmp edi, 10; jle +2 */
const CODE = Uint8Array.of(0x55, 0x48, 0x89, 0xe5, 0x83, 0xff, 0x0a, 0x7e, 0x02);

it('prints one line per node', () => {
  const translator = new Translator((address, length) => CODE.slice(address - 0x401000, address - 0x401000 + length));
  const block = translator.translate(guestAddr(0x401000));
  expect(block).not.toBeNull();
  expect(verifyBlock(block!)).toEqual([]);
  const text = printBlock(block!, { disassemble: (address) => `at ${address - 0x401000}` });
  expect(text.split('\n')).toEqual([
    '// 0x401000  at 0',
    '  v1:i64 = get rbp',
    '  v2:i64 = get rsp',
    '  store64 [v2 - 8], v1',
    expect.stringMatching(/i64\.const/),
    expect.stringMatching(/i64\.const/),
    '  v6:i64 = i64.add v2, v5',
    '  set rsp, v6',
    '// 0x401001  at 1',
    '  set rbp, v6',
    '// 0x401004  at 4',
    '  v11:i64 = get rdi',
    '  v12:i32 = i32.wrap_i64 v11',
    '  v13:i32 = i32.const 10',
    '  v14:i32 = i32.const 14',
    '  v15:i64 = i64.extend_i32_u v12',
    '  v16:i64 = i64.const 10',
    '  cc.set v14, v15, v16, v15',
    '// 0x401007  at 7',
    '  v19:i32 = i32.le_s v12, v13',
    '  branch v19, 0x40100b else 0x401009',
  ]);
});
