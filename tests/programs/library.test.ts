import { LIBRARY } from './programs.js';
import { testPrograms } from './testPrograms.js';

testPrograms('library', LIBRARY);
