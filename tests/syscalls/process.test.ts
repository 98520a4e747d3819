import { testSyscalls } from './testSyscalls.js';

testSyscalls('process');
