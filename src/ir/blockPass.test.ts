import { describe, expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import { Translator } from '../x86/translate.js';
import { BlockCopy } from './blockCopy.js';
import { type BlockPass, keyOf, variantAt } from './blockPass.js';
import { type Block, NONE, Node, type Value } from './ir.js';
import { OP_BY_NAME, OPS } from './ops.js';
import { initPass } from './weaveInit.js';

const START = guestAddr(0x400000);
/** mov eax, [rdi]; add rax, [rsi]; jne +0 */
const CODE = Uint8Array.of(0x8b, 0x07, 0x48, 0x03, 0x06, 0x75, 0);

function translated(passes: readonly BlockPass[]): Block {
  const translator = new Translator((address, length) => CODE.subarray(address - START, address - START + length));
  translator.passes = passes;
  return translator.translate(START) as Block;
}

function idOf(name: string): number {
  return OP_BY_NAME.get(name)?.id ?? NONE;
}

/** Adds a constant that nothing uses in front of every node. */
function padding(constant: number): BlockPass {
  return {
    key: `pad${constant}`,
    rewrite: (block) => {
      const copy = new BlockCopy(block);
      block.nodes.forEach((node, i) => {
        if (i > 0) copy.push(new Node(idOf('i32.const'), NONE, NONE, NONE, NONE, constant));
        copy.keep(i, copy.renumbered(node));
      });
      return copy.finish();
    },
  };
}

describe('passes over blocks', () => {
  it('are applied in order, each to what the one before has made', () => {
    const plain = translated([]);
    const constants = (block: Block): number[] => block.nodes.filter(({ op, imm }) => op === idOf('i32.const') && imm > 1000).map(({ imm }) => imm);
    const [once, twice] = [translated([padding(1001)]), translated([padding(1001), padding(1002)])];
    expect(constants(once)).toHaveLength(plain.nodes.length - 1);
    expect(constants(twice).slice(0, 4)).toEqual([1002, 1001, 1002, 1002]);
    // Whatever is in between, the same operations have the same arguments.
    const names = (block: Block): string[] => block.nodes.filter(({ op, imm }) => op !== idOf('i32.const') || imm <= 1000).map(({ op, a, b }) => [op, block.nodes[a]?.op, block.nodes[b]?.op].map((n) => OPS[n ?? -1]?.name).join());
    expect(names(twice)).toEqual(names(plain));
  });

  it('that break a rule of the IR are caught where blocks are verified', () => {
    const broken: BlockPass = { key: 'broken', rewrite: (block) => ({ ...block, nodes: [...block.nodes, new Node(idOf('i64.add'), 9999 as Value, 0 as Value, NONE, NONE, 0)] }) };
    expect(() => translated([padding(1001), broken])).toThrow(/^the pass 'broken' has broken the block at 0x400000: v\d+: argument 0 of i64.add is v9999/);
    const late: BlockPass = { key: 'late', rewrite: (block) => ({ ...block, instructions: 5 }) };
    expect(() => translated([late])).toThrow(/3 instruction marks for 5 instructions/);
  });

  it('have a key that says what code depends on', () => {
    const init = initPass((address) => address === START);
    expect(keyOf([])).toBe('');
    expect([keyOf([init, padding(3)]), keyOf([padding(3), init]), keyOf([init])]).toEqual(['init+pad3', 'pad3+init', 'init']);
    expect([variantAt([init, padding(3)], START), variantAt([init], START + 1), variantAt([], START)]).toEqual(['loose+', '', '']);
  });
});
