import { testSyscalls } from './testSyscalls.js';

testSyscalls('files');
