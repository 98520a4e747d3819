import { COMPRESSION } from './groups/compression.js';
import { testTable } from './testTable.js';

testTable('compression', COMPRESSION);
