export interface DumpOptions {
  readonly json?: boolean;
}
export function dumpCommand(_path: string, _options: DumpOptions): number {
  return 0;
}
