/** Addresses with the symbols that they lie in: `0x401136 <main+4>`. */
import type { Surroundings } from '../surroundings.js';
import type { PrintSettings } from './settings.js';

export function hex(value: bigint): string {
  return `0x${BigInt.asUintN(64, value).toString(16)}`;
}

/** `<main+4>`; undefined outside of symbols. Beside code and memory names are the linker's. */
export function symbolText(around: Surroundings, address: bigint, isLinkage = false): string | undefined {
  const found = around.symbolAt(BigInt.asUintN(64, address));
  if (found === undefined) return undefined;
  return `<${isLinkage ? found.symbol.linkageName : found.symbol.name}${found.offset === 0n ? '' : `+${found.offset}`}>`;
}

/** What stands for an address in a value, as far as the settings want it. */
export function addressText(around: Surroundings, address: bigint, settings: PrintSettings, isLinkage = false): string {
  const symbol = settings.symbol ? symbolText(around, address, isLinkage) : undefined;
  return [...(settings.address ? [hex(address)] : []), ...(symbol === undefined ? [] : [symbol])].join(' ');
}

/** Functions are named whatever the settings say. */
export function functionAddressText(around: Surroundings, address: bigint, settings: PrintSettings): string {
  const symbol = symbolText(around, address);
  return [...(settings.address ? [hex(address)] : []), ...(symbol === undefined ? [] : [symbol])].join(' ');
}
