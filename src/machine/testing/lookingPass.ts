/** A pass made of what there is: the hooks' handler has a look at every instruction that is about to be executed. */
import { BlockCopy } from '../../ir/blockCopy.js';
import type { BlockPass } from '../../ir/blockPass.js';
import { NONE, Node } from '../../ir/ir.js';
import { OP_BY_NAME } from '../../ir/ops.js';
import { SYS } from '../../ir/sysCalls.js';
import { type Instrumentation, NO_HOOKS, PLAIN } from '../instrumentation.js';

const [INSN, CONST, HOOK] = ['insn', 'i64.const', 'sys.hook'].map((name) => OP_BY_NAME.get(name)?.id ?? NONE);

/** `times`: how many looks there are at each instruction. Those at other times have other keys. */
export function lookingPass(times = 1, key = `look${times}`): BlockPass {
  return {
    key,
    rewrite: (block) => {
      const copy = new BlockCopy(block);
      block.nodes.forEach((node, i) => {
        copy.keep(i, copy.renumbered(node));
        for (let look = 0; node.op === INSN && look < times; look++) {
          const address = copy.push(new Node(CONST as number, NONE, NONE, NONE, NONE, 0, BigInt(node.imm)));
          copy.push(new Node(HOOK as number, address, NONE, NONE, NONE, SYS.HOOK_LOOK));
        }
      });
      return copy.finish();
    },
  };
}

/** `look` is told of every instruction. */
export function looking(look: (at: number) => void, pass = lookingPass()): Instrumentation {
  const handler = { call: () => false, make: () => false, look: (at: number) => (look(at), true) };
  return { ...PLAIN, passes: [pass], hooks: { ...NO_HOOKS, handler } };
}
