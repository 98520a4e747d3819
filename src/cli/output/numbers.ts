/** Numbers for people. */

/** 1,234,567 */
export function count(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 thread`, `2 threads`. */
export function plural(n: number, what: string, many = `${what}s`): string {
  return `${count(n)} ${n === 1 ? what : many}`;
}

export function kib(bytes: number): string {
  return `${count(Math.ceil(bytes / 1024))} KiB`;
}
