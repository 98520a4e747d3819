/** Every lifted instruction form against the real CPU: integer and x87 instructions. See README.md. */
import { defineInstructionTests, isVectorForm } from './instructionTests.js';

defineInstructionTests((form) => !isVectorForm(form));
