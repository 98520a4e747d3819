import { testSyscalls } from './testSyscalls.js';

testSyscalls('events');
