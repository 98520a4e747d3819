import { testSyscalls } from './testSyscalls.js';

testSyscalls('pipes');
