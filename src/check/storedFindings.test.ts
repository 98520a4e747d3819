import { describe, expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import type { Finding } from './findings.js';
import { packFindings, type StoredFindings, unpackFindings } from './storedFindings.js';

const FINDING: Finding = {
  firing: { rule: 'double.free', severity: 'error', message: 'twice', point: { kind: 'free', slots: [] }, variables: [{ name: 'r', sort: 'pointer', value: 0xffff_ffff_ffff_ffffn }], locators: [{ text: 'VPC(r)', value: 5n }] } as unknown as Finding['firing'],
  occurrence: { kind: 'free', pointer: 0x440f_77cd_2000n, by: 'free' },
  moment: { time: 2 ** 50, tid: 7, pid: 7, by: 'free' },
  rip: 0x7fff_f7e5_0000,
  isKernels: false,
  block: { id: 3, begin: 0x440f_77cd_2000, size: 6, family: 'malloc', allocated: { time: 1, tid: 7, pid: 7, by: 'malloc' }, freed: undefined, real: 0x1000 },
  allocatedIn: ['make'],
};

const STORED: StoredFindings = {
  rules: ['double.free'],
  allocatingCalls: ['make'],
  findings: [[FINDING, FINDING], [FINDING]],
  suspicions: [{ kind: 'return', time: 5, tid: 7, pid: 7, rip: 1, slot: guestAddr(2) }],
  isCut: false,
};

describe('what rules have said', () => {
  it('comes back as it was stored', () => {
    expect(unpackFindings(JSON.parse(JSON.stringify(packFindings(STORED))) as object)).toEqual(STORED);
  });

  it.each([[{}], [{ version: 2, stored: '{}' }], [{ version: 1, stored: '{' }], [{ version: 1, stored: '{"rules":[]}' }], [{ version: 1, stored: 'null' }]])('is not taken from %j', (json) => {
    expect(unpackFindings(json)).toBeUndefined();
  });
});
