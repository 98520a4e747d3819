/** Our own programs with sockets: what each is run with. The sources (tests/programs) say what they are about. */
import type { Program } from '../programs/programs.js';

const ONCE = [{}];

/** Names of Unix sockets and ports are shared on the host: native runs must not meet. */
export const SOCKETS: readonly Program[] = [
  { source: 'unixSockets.c', runs: ONCE, variants: 1, glibcOnly: true },
  { source: 'tcpSockets.c', runs: ONCE, variants: 2, glibcOnly: true },
  { source: 'udpSockets.c', runs: ONCE, variants: 2, glibcOnly: true },
  { source: 'socketMessages.c', runs: ONCE, variants: 2, glibcOnly: true },
  { source: 'socketOptions.c', runs: ONCE, variants: 1, glibcOnly: true },
  { source: 'socketWaits.c', runs: ONCE, variants: 2, glibcOnly: true },
  { source: 'echoServer.c', runs: ONCE, variants: 1 },
  { source: 'networkNames.c', runs: ONCE, variants: 1, glibcOnly: true },
];
