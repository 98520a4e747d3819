import { testSyscalls } from './testSyscalls.js';

testSyscalls('sockets');
