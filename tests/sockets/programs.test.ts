import { testPrograms } from '../programs/testPrograms.js';
import { SOCKETS } from './socketPrograms.js';

testPrograms('sockets', SOCKETS);
