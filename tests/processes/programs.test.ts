import { testPrograms } from '../programs/testPrograms.js';
import { PROCESSES } from './processPrograms.js';

testPrograms('processes', PROCESSES);
