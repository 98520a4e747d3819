import { COREUTILS } from './groups/coreutils.js';
import { testTable } from './testTable.js';

testTable('coreutils', COREUTILS);
