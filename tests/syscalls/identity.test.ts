import { testSyscalls } from './testSyscalls.js';

testSyscalls('identity');
