/** In tests of the engine: what passes make of blocks is verified. */
import { verifyPasses } from '../src/ir/verifyPasses.js';

verifyPasses();
