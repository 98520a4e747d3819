/** What the client calls a module by: where it is loaded tells them apart, and is the same at all times. */
import type { LoadedModule } from '../debugger/program/modules.js';
import { addressText } from './addresses.js';

export function moduleId({ path, start }: LoadedModule): string {
  return `${path}@${addressText(start)}`;
}
