import { testSyscalls } from './testSyscalls.js';

testSyscalls('time');
