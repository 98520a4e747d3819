/** Addresses as the protocol has them: strings that only we have to understand. */
import { UserError } from '../base/errors.js';

export function addressText(address: bigint): string {
  return `0x${address.toString(16)}`;
}

/** Of a memory or instruction reference. */
export function parseAddress(text: string): bigint {
  if (!/^\s*(0x[\da-f]{1,16}|\d{1,20})\s*$/i.test(text)) throw new UserError(`not an address: ${JSON.stringify(text.slice(0, 40))}`);
  return BigInt.asUintN(64, BigInt(text.trim()));
}
