/** The token by which clients of the debug adapter on a port show that the user has sent them. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { UserError } from '../../base/errors.js';

/** Not an option: other users see command lines. */
const VARIABLE = 'CULPRIT_DAP_TOKEN';
const SHORTEST = 16;
const RANDOM_BYTES = 18;

interface DapToken {
  isIt(said: string): boolean;
  /** For the line that says where we listen. */
  readonly remark: string;
}

/** Takes it out of our environment. */
export function takeToken(): DapToken {
  const chosen = process.env[VARIABLE];
  forgetToken();
  if (chosen !== undefined && chosen.length < SHORTEST) throw new UserError(`${VARIABLE}: a token has ${SHORTEST} characters or more`);
  const token = chosen ?? randomBytes(RANDOM_BYTES).toString('base64url');
  // Digests are of the same length, and take the same time to compare.
  const digest = digestOf(token);
  return {
    isIt: (said) => timingSafeEqual(digestOf(said), digest),
    remark: chosen === undefined ? `"token": "${token}"` : `"token", as in ${VARIABLE}`,
  };
}

/** The programs that are debugged get our environment, but nothing of this. */
export function forgetToken(): void {
  delete process.env[VARIABLE];
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
