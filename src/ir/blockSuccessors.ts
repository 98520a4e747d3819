/** Where control can go after a block without leaving its function by an indirect jump: calls come back. */
import type { GuestAddr } from '../base/types.js';
import type { End } from './ir.js';

export function directSuccessors(end: End): GuestAddr[] {
  switch (end.kind) {
    case 'jump':
      return [end.target];
    case 'branch':
      return [end.fall, end.taken];
    case 'call':
      return [end.returnTo];
    case 'indirect':
      return end.via === 'call' ? [end.returnTo] : [];
    case 'syscall':
      return [end.next];
    case 'trap':
    case 'unknown':
      return [];
  }
}
