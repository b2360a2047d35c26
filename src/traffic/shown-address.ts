import { isIP } from "node:net";

/** An IPv4 address as such that a socket for both versions shows as one of IPv6: `::ffff:192.0.2.1` (RFC 4291 section 2.5.5.2). */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d{1,3}\.)/i, "");
}

/** The network of an address, which names nobody: 24 bits of IPv4, 48 of IPv6. What is no address gives `-`. */
export function truncateAddress(address: string): string {
  const version = isIP(address);
  if (version === 4) return `${address.slice(0, address.lastIndexOf("."))}.0/24`;
  if (version !== 6) return "-";
  return `${expandIpv6(address).slice(0, 3).join(":")}::/48`;
}

/** The eight groups of an IPv6 address, without leading zeros; a zone is left out. */
export function expandIpv6(address: string): string[] {
  // The URL's parser writes the shortest form.
  const short = new URL(`http://[${address.replace(/%.*/, "")}]/`).hostname.slice(1, -1);
  const [head = "", tail] = short.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - front.length - back.length }, () => "0");
  return [...front, ...zeros, ...back];
}
