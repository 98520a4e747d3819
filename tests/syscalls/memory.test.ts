import { testSyscalls } from './testSyscalls.js';

testSyscalls('memory');
