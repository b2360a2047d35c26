import { type LookupAddress, type LookupAllOptions, lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/**
 * Metadata services of clouds, which give secrets to any local client; addresses from each provider's documentation.
 */
const metadataAddresses: ReadonlyArray<readonly [string, string]> = [
  ["ipv4", "169.254.169.254"],
  ["ipv4", "169.254.170.2"],
  ["ipv4", "100.100.100.200"],
  ["ipv4", "168.63.129.16"],
  ["ipv4", "192.0.0.192"],
  ["ipv6", "fd00:ec2::254"],
  ["ipv6", "fd20:ce::254"],
];

/** Result of {@link specialUseOf} for addresses that are never reached by name, even if the user names them. */
const neverByName: ReadonlySet<string> = new Set(["link-local", "metadata of a cloud"]);

/**
 * IPv4 blocks that are not publicly reachable, by use.
 *
 * @see IANA IPv4 Special-Purpose Address Registry (RFC 6890); RFC 1112 for multicast
 */
const ipv4Blocks: ReadonlyArray<readonly [string, number, string]> = [
  ["0.0.0.0", 8, "this network"],
  ["10.0.0.0", 8, "private use"],
  ["100.64.0.0", 10, "shared by a carrier's NAT"],
  ["127.0.0.0", 8, "loopback"],
  ["169.254.0.0", 16, "link-local"],
  ["172.16.0.0", 12, "private use"],
  ["192.0.0.0", 24, "protocol assignments"],
  ["192.0.2.0", 24, "documentation"],
  ["192.88.99.0", 24, "6to4 relays"],
  ["192.168.0.0", 16, "private use"],
  ["198.18.0.0", 15, "benchmarking"],
  ["198.51.100.0", 24, "documentation"],
  ["203.0.113.0", 24, "documentation"],
  ["224.0.0.0", 4, "multicast"],
  ["240.0.0.0", 4, "reserved"],
];

/**
 * Named IPv6 blocks. Outside 2000::/3 no address is public, named or not.
 *
 * @see IANA IPv6 Special-Purpose Address Registry (RFC 6890), IPv6 address space (RFC 4291)
 */
const ipv6Blocks: ReadonlyArray<readonly [string, number, string]> = [
  ["::", 128, "unspecified"],
  ["::1", 128, "loopback"],
  ["64:ff9b:1::", 48, "translation within a network"],
  ["100::", 64, "discarded"],
  // Teredo, benchmarking, ORCHID and anycast addresses of protocols: no web site has one.
  ["2001::", 23, "protocol assignments"],
  ["2001:db8::", 32, "documentation"],
  ["2002::", 16, "6to4"],
  ["3fff::", 20, "documentation"],
  ["5f00::", 16, "segment routing"],
  ["fc00::", 7, "private use"],
  ["fe80::", 10, "link-local"],
  ["fec0::", 10, "site-local"],
  ["ff00::", 8, "multicast"],
];

/** Prefixes whose last 32 bits are the IPv4 address actually reached: mapped (RFC 4291) and NAT64 (RFC 6052). */
const carriers = ["::ffff:", "64:ff9b::"] as const;

interface Block {
  readonly list: BlockList;
  readonly family: "ipv4" | "ipv6";
  readonly use: string;
}

function makeBlock(network: string, prefixBits: number, family: "ipv4" | "ipv6", use: string): Block {
  const list = new BlockList();
  list.addSubnet(network, prefixBits, family);
  return { list, family, use };
}

function makeBlocks4(network: string, bits: number, use: string): Block[] {
  const carried = carriers.map((carrier) => makeBlock(`${carrier}${network}`, 96 + bits, "ipv6", use));
  return [makeBlock(network, bits, "ipv4", use), ...carried];
}

// The first block that contains an address decides.
const blocks: readonly Block[] = [
  ...metadataAddresses.flatMap(([family, address]) =>
    family === "ipv4"
      ? makeBlocks4(address, 32, "metadata of a cloud")
      : [makeBlock(address, 128, "ipv6", "metadata of a cloud")],
  ),
  ...ipv4Blocks.flatMap(([network, bits, use]) => makeBlocks4(network, bits, use)),
  ...ipv6Blocks.map(([network, bits, use]) => makeBlock(network, bits, "ipv6", use)),
];

const global6 = new BlockList();
global6.addSubnet("2000::", 3, "ipv6");
for (const carrier of carriers) global6.addSubnet(`${carrier}0.0.0.0`, 96, "ipv6");

/**
 * The use of an address that is not publicly reachable.
 *
 * @param address - IPv4 or IPv6, in any notation of the system's resolver
 * @returns words such as `loopback`; undefined for a public address
 */
export function specialUseOf(address: string): string | undefined {
  const version = isIP(address);
  if (version === 0 || address.includes("%")) return "no address for everybody";
  const family = version === 4 ? "ipv4" : "ipv6";
  for (const block of blocks) if (block.family === family && block.list.check(address, family)) return block.use;
  return version === 4 || global6.check(address, "ipv6") ? undefined : "outside the global addresses";
}

/** Looks up all addresses of a name; `dns.lookup` is one. */
export type ResolveName = (
  name: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Which non-public addresses may be reached. */
export interface AddressRules {
  /**
   * Whether all non-public addresses may be reached.
   *
   * @default false
   */
  readonly allowPrivate?: boolean;
  /**
   * Origins named by the user, such as `http://intranet.example`. They may have a private address as long as they never
   * had a public one: a name that changes from public to private is an attack. Link-local addresses, where clouds serve
   * secrets, are reached only if the origin itself is such an address.
   *
   * @default none
   */
  readonly allowedPrivateOrigins?: readonly string[];
  /** Where it is noted that a named origin had a public address, if that is to outlive what checks it. */
  readonly knownPublic?: Set<string> | undefined;
  /** Default: the system's resolver. */
  readonly resolve?: ResolveName;
}

const privateAddressCode = "ERR_PRIVATE_ADDRESS";

/** Whether a connection was refused because of its address. */
export function isPrivateAddressError(error: Error): boolean {
  return (error as { code?: unknown }).code === privateAddressCode;
}

function refusal(host: string, address: string, use: string): Error {
  const what = host === address ? host : `${host} at ${address}`;
  return Object.assign(new Error(`${what} is not asked: the address is special (${use})`), {
    code: privateAddressCode,
  });
}

/** Checks addresses before each connection, so that no list, redirect or name server can lead to a private network. */
export class AddressGuard {
  readonly #resolve: ResolveName;
  readonly #allowPrivate: boolean;
  readonly #named: ReadonlySet<string>;
  /** Named origins that were seen with a public address. */
  readonly #public: Set<string>;

  constructor(rules: AddressRules = {}) {
    this.#resolve = rules.resolve ?? lookup;
    this.#allowPrivate = rules.allowPrivate ?? false;
    this.#public = rules.knownPublic ?? new Set();
    this.#named = new Set((rules.allowedPrivateOrigins ?? []).map((origin) => new URL(origin).origin));
  }

  /** Whether the user named this origin. */
  isNamed(origin: string): boolean {
    return this.#allowPrivate || this.#named.has(new URL(origin).origin);
  }

  /**
   * Checks the host of an origin if it is a literal address, for which no name server is asked.
   *
   * @param host - without brackets
   */
  refuseHost(origin: string, host: string): Error | undefined {
    if (isIP(host) === 0 || this.isNamed(origin)) return undefined;
    const use = specialUseOf(host);
    return use === undefined ? undefined : refusal(host, host, use);
  }

  /** Resolves names for connections to one origin and returns only allowed addresses. */
  lookupFor(origin: string): LookupFunction {
    return (host, options, callback) => {
      this.#resolve(host, { ...options, all: true }, (error, found) => {
        if (error !== null) return callback(error, []);
        const allowed = this.#choose(origin, found);
        const [first] = allowed;
        if (first === undefined) {
          const address = found[0]?.address ?? "no address";
          return callback(refusal(host, address, specialUseOf(address) ?? "none"), []);
        }
        if (options.all === true) callback(null, allowed);
        else callback(null, first.address, first.family);
      });
    };
  }

  #choose(origin: string, found: readonly LookupAddress[]): LookupAddress[] {
    if (this.#allowPrivate) return [...found];
    const open = found.filter(({ address }) => specialUseOf(address) === undefined);
    if (!this.isNamed(origin)) return open;
    const { origin: name } = new URL(origin);
    if (open.length > 0) this.#public.add(name);
    if (this.#public.has(name)) return open;
    return found.filter(({ address }) => !neverByName.has(specialUseOf(address) ?? ""));
  }
}
