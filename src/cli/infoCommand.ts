export interface InfoOptions {
  readonly json?: boolean;
}
export function infoCommand(_path: string, _options: InfoOptions): number {
  return 0;
}
