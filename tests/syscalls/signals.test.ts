import { testSyscalls } from './testSyscalls.js';

testSyscalls('signals');
