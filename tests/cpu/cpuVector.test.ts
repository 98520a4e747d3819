/** Every lifted instruction form against the real CPU: MMX and SSE instructions. See README.md. */
import { defineInstructionTests, isVectorForm } from './instructionTests.js';

defineInstructionTests(isVectorForm);
