import { TEXT_TOOLS } from './groups/text.js';
import { testTable } from './testTable.js';

testTable('text', TEXT_TOOLS);
