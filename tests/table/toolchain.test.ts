import { TOOLCHAIN } from './groups/toolchain.js';
import { testTable } from './testTable.js';

testTable('toolchain', TOOLCHAIN);
