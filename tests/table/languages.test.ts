import { LANGUAGES } from './groups/languages.js';
import { testTable } from './testTable.js';

testTable('languages', LANGUAGES);
