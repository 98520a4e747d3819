import { describe, expect, it } from 'vitest';
import { bytePath } from '../../base/bytePath.js';
import { bytes16OfIp, bytesOfIp, type IpAddress, ipFromBytes, ipFromText, isLoopback, isMulticast } from './ipAddress.js';
import { addressBytes, describeAddress, parseAddress, type SocketAddress } from './socketAddress.js';
import { AF } from './socketConstants.js';

const ip = (text: string): IpAddress => ipFromText(text);

describe('IP addresses', () => {
  it('have one spelling', () => {
    expect(ip('0:0:0:0:0:0:0:1')).toBe('::1');
    expect(ip('2001:DB8:0:0:1:0:0:1')).toBe('2001:db8::1:0:0:1');
    expect(ip('fe80::1%eth0')).toBe('fe80::1');
    expect(ip('::')).toBe('::');
    expect(ip('::ffff:10.0.0.1')).toBe('10.0.0.1');
    expect(ip('1:2:3:4:5:6:7:8')).toBe('1:2:3:4:5:6:7:8');
    expect(ip('1::')).toBe('1::');
  });

  it('survive being bytes', () => {
    for (const text of ['127.0.0.1', '::', '::1', 'fe80::fc:ff:fe00:1', '2001:db8::1:0:0:1', 'ff02::1']) {
      expect(ipFromBytes(bytesOfIp(ip(text)))).toBe(text);
      expect(ipFromBytes(bytes16OfIp(ip(text)))).toBe(text);
    }
  });

  it('are told apart', () => {
    expect(['127.0.0.1', '127.9.9.9', '::1', '10.0.0.1'].map((text) => isLoopback(ip(text)))).toEqual([true, true, true, false]);
    expect(['224.0.0.1', '239.255.255.255', '240.0.0.1', 'ff02::1', 'fe80::1'].map((text) => isMulticast(ip(text)))).toEqual([true, true, false, true, false]);
  });
});

describe('socket addresses', () => {
  const addresses: SocketAddress[] = [
    { family: AF.INET, ip: ip('192.168.1.2'), port: 8080 },
    { family: AF.INET6, ip: ip('fe80::1'), port: 443, scope: 3 },
    { family: AF.INET6, ip: ip('10.0.0.1'), port: 1, scope: 0 },
    { family: AF.UNIX, name: bytePath('/run/some.socket') },
    { family: AF.UNIX, name: bytePath('\0abstract\0name') },
    { family: AF.UNIX, name: bytePath('') },
    { family: AF.NETLINK, port: 77, groups: 5 },
  ];

  it('survive being structures', () => {
    for (const address of addresses) expect(parseAddress(addressBytes(address))).toEqual(address);
  });

  it('are other if they make no sense', () => {
    expect(parseAddress(Uint8Array.of(2, 0, 0, 80))).toEqual({ family: 'other', number: 2, length: 4 });
    expect(parseAddress(Uint8Array.of(2))).toMatchObject({ family: 'other', number: -1 });
    expect(parseAddress(new Uint8Array(16))).toMatchObject({ family: 'other', number: AF.UNSPEC });
    expect(parseAddress(Uint8Array.from([1, 0, ...new Uint8Array(109).fill(97)]))).toMatchObject({ family: 'other', number: AF.UNIX });
  });

  it('can be read by people', () => {
    expect(addresses.map(describeAddress)).toEqual([
      '192.168.1.2:8080', '[fe80::1]:443', '10.0.0.1:1', '/run/some.socket', '@abstract\0name', 'unnamed', 'netlink 77',
    ]);
  });
});
