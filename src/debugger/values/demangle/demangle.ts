/** Names of C++ symbols as people write them. */
export function demangle(name: string): string {
  return name;
}
