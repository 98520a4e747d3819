/** The `culprit` command. */
import { bytePathFromText } from '../host/bytePath.js';
import { NodeHost } from '../host/nodeHost.js';
import { createGuest } from '../linux/guest.js';

const host = new NodeHost();
const [, , , program = '', ...args] = process.argv;
const guest = createGuest(host, {
  program: bytePathFromText(program),
  args: args.map(bytePathFromText),
  environment: host.environment(),
  verbose: true,
  engine: { noCompiler: process.env['CULPRIT_INTERPRET'] === '1' },
});
const began = performance.now();
const status = await guest.kernel.run();
if (process.env['CULPRIT_STATS'] === '1') {
  console.error(guest.engine.instructions, guest.engine.stats, 'translation', guest.engine.translationTime, 'run', performance.now() - began);
}
process.exitCode = status.kind === 'exited' ? status.code : 128 + status.signal;
if (status.kind === 'signaled') console.error(`signal ${status.signal}`);
