/**
 * The pass that puts a look at registers (x86/hooks.ts) in front of blocks that begin at some addresses. It takes no
 * time of the program's.
 */
import { BlockCopy } from './blockCopy.js';
import type { BlockPass } from './blockPass.js';
import { type Block, NONE, Node } from './ir.js';
import type { OpDef } from './opDef.js';
import { OP_BY_NAME } from './ops.js';
import { SYS } from './sysCalls.js';

const id = (name: string): number => (OP_BY_NAME.get(name) as OpDef).id;
const CONST = id('i64.const');
const HOOK = id('sys.hook');

/**
 * Blocks end in front of these addresses. `key` says where they are, in all code that others may have; undefined: it is
 * not said, and others do not get code that is near to one.
 */
export function looksPass(addresses: ReadonlySet<number>, key: string | undefined): BlockPass {
  return {
    key: `looks(${key ?? ''})`,
    rewrite: (block) => (addresses.has(block.start) ? withLook(block) : block),
  };
}

/** Behind the mark of its first instruction. */
function withLook(block: Block): Block {
  const copy = new BlockCopy(block);
  block.nodes.forEach((node, i) => {
    copy.keep(i, copy.renumbered(node));
    if (i > 0) return;
    const address = copy.push(new Node(CONST, NONE, NONE, NONE, NONE, 0, BigInt(block.start)));
    copy.push(new Node(HOOK, address, NONE, NONE, NONE, SYS.HOOK_LOOK));
  });
  return copy.finish();
}
