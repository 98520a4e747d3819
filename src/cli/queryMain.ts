/**
 * `culprit query` by itself: all that it does is done in a thread, so that loading the other commands would be most of
 * what the command does.
 */
import { runCommandLine } from './commandLines/commandLine.js';
import { addQuery } from './commandLines/query.js';
import { reportFailure } from './output/report.js';

runCommandLine(process.argv.slice(2), [addQuery], '')
  .catch(reportFailure)
  .then((status) => {
    process.exitCode = status;
  });
