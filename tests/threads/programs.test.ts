import { testPrograms } from '../programs/testPrograms.js';
import { THREADS } from './threadPrograms.js';

testPrograms('threads', THREADS);
