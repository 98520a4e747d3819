/** The branch has come to something that the recording does not know enough about. Never a wrong state instead. */
export class Unsupported extends Error {
  override name = 'Unsupported';
}
