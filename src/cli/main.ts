/** The `culprit` command: where Node starts us. */
import { culprit } from './program.js';
import { reportFailure } from './output/report.js';

culprit(process.argv.slice(2))
  .catch(reportFailure)
  .then((status) => {
    process.exitCode = status;
  });
