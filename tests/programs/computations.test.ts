import { COMPUTATIONS } from './programs.js';
import { testPrograms } from './testPrograms.js';

testPrograms('computations', COMPUTATIONS);
