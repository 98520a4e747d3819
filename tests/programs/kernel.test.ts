import { KERNEL } from './programs.js';
import { testPrograms } from './testPrograms.js';

testPrograms('kernel', KERNEL);
