/** A definition in words. */
import { hex } from '../../base/types.js';
import { placeText } from '../../flow/copies/place.js';
import type { Definition } from './definition.js';

const ROLES: Readonly<Record<Definition['suspect']['role'], string>> = {
  pointer: 'the pointer', index: 'the index', target: 'the address that was jumped to', returnAddress: 'the return address',
  divisor: 'the divisor', checked: 'what was checked', freed: 'the pointer that was freed',
};

/** `writes the pointer, 0x4141, to [0x4040] (strcpy)`. */
export function definitionText({ suspect, link, called }: Definition): string {
  const by = called === undefined ? '' : ` by ${called} ()`;
  const value = suspect.role === 'index' || suspect.role === 'divisor' ? String(BigInt.asIntN(64, suspect.value)) : hex(suspect.value);
  return `defines ${ROLES[suspect.role]}, ${value}, in ${placeText(link.place)}${by}`;
}
