import { FILES } from './groups/files.js';
import { testTable } from './testTable.js';

testTable('files', FILES);
