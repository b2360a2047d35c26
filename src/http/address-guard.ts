import { type LookupAddress, type LookupAllOptions, lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { neverByName, specialUseOf } from "./address-block.ts";

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
  readonly #public = new Set<string>();

  constructor(rules: AddressRules = {}) {
    this.#resolve = rules.resolve ?? lookup;
    this.#allowPrivate = rules.allowPrivate ?? false;
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
