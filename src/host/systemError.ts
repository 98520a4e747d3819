/** What the system says about a call that failed, in words: "No space left on device". */
import util from 'node:util';

export function systemErrorText(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  const text = errno === undefined ? undefined : util.getSystemErrorMap().get(errno)?.[1];
  return text === undefined ? String(message ?? error) : text.charAt(0).toUpperCase() + text.slice(1);
}
