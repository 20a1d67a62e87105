// Which addresses belong to the open internet. All others belong to this machine, to a private network, or to no host:
// services there trust every client that reaches them, and a text from outside must not become one.
import { BlockList, isIP } from 'node:net';

/** In IPv6 only 2000::/3 is given to hosts; these parts of it lead to other networks, or nowhere. */
const CLOSED: readonly (readonly [network: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const closed = new BlockList();
for (const [network, bits] of CLOSED) closed.addSubnet(network, bits, network.includes(':') ? 'ipv6' : 'ipv4');
const open = new BlockList();
open.addSubnet('2000::', 3, 'ipv6');

/**
 * @example
 * isPublicAddress('192.168.1.1'); // false
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !closed.check(address, 'ipv4');
    case 6:
      return open.check(address, 'ipv6') && !closed.check(address, 'ipv6');
    default:
      return false;
  }
}
