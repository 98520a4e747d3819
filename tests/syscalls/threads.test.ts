import { testSyscalls } from './testSyscalls.js';

testSyscalls('threads');
