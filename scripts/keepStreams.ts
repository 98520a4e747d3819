/**
 * Programs that tests run in their own process may close their standard output, as coreutils do at their end. That is
 * also the output of vitest and of the tests that come after in the same process: it stays open.
 */
import fs from 'node:fs';

const LAST_STANDARD = 2;
const { closeSync } = fs;

fs.closeSync = (fd: number): void => {
  if (fd > LAST_STANDARD) closeSync(fd);
};
