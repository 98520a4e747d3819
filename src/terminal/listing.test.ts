import { expect, it } from 'vitest';
import { Listing } from './listing.js';

it('goes on as gdb does', () => {
  const listing = new Listing();
  const file = { path: '/a.c', name: 'a.c' };
  listing.stoppedAt('/a.c', 52);
  expect(listing.next(10)).toEqual({ first: 47, last: 56 });
  listing.listed(file, { first: 47, last: 56 });
  expect(listing.next(10)).toEqual({ first: 57, last: 66 });
  listing.listed(file, { first: 57, last: 66 });
  expect(listing.previous(10)).toEqual({ first: 47, last: 56 });
  listing.listed(file, { first: 1, last: 10 });
  expect(() => listing.previous(10)).toThrow('Already at the start of a.c.');
  // Before anything ran: near main, which is at line 52.
  listing.startAt(file, 52, 10);
  expect(listing.next(10)).toEqual({ first: 38, last: 47 });
});
