import { BlockList, isIP } from "node:net";
import { ok, problem, type Result } from "../core/index.ts";
import { specialUseOf } from "../http/index.ts";

const localUses: ReadonlySet<string | undefined> = new Set([
  "loopback",
  "private use",
  "link-local",
  "shared by a carrier's NAT",
]);

/** Whether an address is one of a network of one's own: of a proxy before the server, not of the client. */
export function isLocalAddress(address: string): boolean {
  return localUses.has(specialUseOf(address));
}

/** Addresses that a crawler's operator publishes. */
export class AddressRanges {
  readonly #blocks = new BlockList();

  add(address: string, bits: number): void {
    this.#blocks.addSubnet(address, bits, isIP(address) === 6 ? "ipv6" : "ipv4");
  }

  /** @returns undefined for what is no address of a client: a host's name, what a log has in its place, or a proxy's */
  has(address: string): boolean | undefined {
    const version = isIP(address);
    if (version === 0) return undefined;
    return (
      this.#blocks.check(address, version === 6 ? "ipv6" : "ipv4") || (isLocalAddress(address) ? undefined : false)
    );
  }
}

/**
 * Reads a file of ranges: JSON as Google, Bing and OpenAI publish it (`prefixes` with `ipv4Prefix` and `ipv6Prefix`), or an
 * address or range a line (`192.0.2.0/24`), where `#` begins a comment.
 *
 * @returns problem `bad-ranges`
 */
export function parseAddressRanges(text: string): Result<AddressRanges> {
  const listed = text.trimStart().startsWith("{")
    ? readJson(text)
    : text.split("\n").map((line) => line.replace(/#.*/, "").trim());
  if (listed === undefined) return problem("bad-ranges", "It is neither JSON with `prefixes` nor a range a line.");
  const ranges = new AddressRanges();
  let count = 0;
  for (const one of listed) {
    if (one === "") continue;
    const [, address = "", digits] = /^([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(one) ?? [];
    const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    const bits = digits === undefined ? most : Number(digits);
    if (most < 0 || bits > most)
      return problem("bad-ranges", `${JSON.stringify(one.slice(0, 60))} is no range of addresses.`);
    ranges.add(address, bits);
    count++;
  }
  return count === 0 ? problem("bad-ranges", "It names no addresses.") : ok(ranges);
}

function readJson(text: string): string[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { prefixes } = value as { prefixes?: unknown };
  if (!Array.isArray(prefixes)) return undefined;
  return prefixes.map((prefix: unknown) => {
    const { ipv4Prefix, ipv6Prefix } = Object(prefix) as { ipv4Prefix?: unknown; ipv6Prefix?: unknown };
    return String(ipv4Prefix ?? ipv6Prefix);
  });
}
