/** Changing the program: that happens in a branch, and the user is told. */
import { UserError } from '../base/errors.js';
import type { Adapter } from './adapter.js';
import type { RequestContext } from './handler.js';

export async function writeMemoryInBranch(_adapter: Adapter, _address: bigint, _bytes: Uint8Array, _request: RequestContext): Promise<void> {
  throw new UserError('memory of a recording cannot be changed yet');
}
