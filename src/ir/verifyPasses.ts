/**
 * Looks at every block that a pass has rewritten: in tests, and where people look for mistakes of ours. It costs too
 * much for other runs.
 */
import { assert } from '../base/assert.js';
import { hex } from '../base/types.js';
import { observePasses } from './blockPass.js';
import { verifyBlock } from './verify.js';

/** From now on a pass that breaks the rules of the IR is an error. */
export function verifyPasses(): void {
  observePasses((pass, block) => {
    const problems = verifyBlock(block);
    assert(problems.length === 0, `the pass '${pass.key}' has broken the block at ${hex(block.start)}: ${problems.join('; ')}`);
  });
}
