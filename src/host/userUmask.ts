/**
 * The umask that the user gave us. It is asked for once, before the first guest: while guests run ours is 0, because
 * their kernel, which we play, applies theirs. Files that we write for the user go by this one.
 */
const GIVEN = process.umask();

export function userUmask(): number {
  return GIVEN;
}
