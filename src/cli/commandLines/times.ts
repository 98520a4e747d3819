/** Times that are instances become numbers before a command runs: it need not know of them. */
import { isInstanceTime } from '../arguments/parseTime.js';
import type { WithInstances } from '../opening/instanceTimes.js';

export type { WithInstances } from '../opening/instanceTimes.js';

/** What takes a recording apart is loaded only if there is such a time. */
export async function withTimes<T extends object>(path: string, options: WithInstances<T>): Promise<T> {
  if (!Object.values(options).some(isInstanceTime)) return options as T;
  const { numbersOf } = await import('../opening/instanceTimes.js');
  return numbersOf(path, options);
}
