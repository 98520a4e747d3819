/** In all tests: what passes make of blocks is verified. */
import { verifyPasses } from '../src/ir/verifyPasses.js';

verifyPasses();
