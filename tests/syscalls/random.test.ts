import { testSyscalls } from './testSyscalls.js';

testSyscalls('random');
