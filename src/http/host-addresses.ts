import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { type Clock, TidemarkError } from "../core/index.ts";
import type { ResolveName } from "./address-guard.ts";

/** How hosts are looked up. */
export interface HostAddressesOptions {
  /** Name servers as `192.0.2.53`, `192.0.2.53:5353` or `[2001:db8::53]:5353`. Default: those of the system. */
  readonly servers?: readonly string[] | undefined;
  /** Most look-ups at once. @default 16 */
  readonly atOnce?: number | undefined;
  /** Most hosts whose answers are kept. @default 100000 */
  readonly maxHosts?: number | undefined;
  readonly clock: Clock;
}

interface Answer {
  readonly until: number;
  readonly addresses: readonly string[];
}

const leastMs = 60_000;
const mostMs = 24 * 3600 * 1000;
const failureMs = 300_000;
/** What a name server says of a name that has no address; all else is trouble that may pass. */
const noAddress: ReadonlySet<unknown> = new Set(["ENOTFOUND", "ENODATA"]);
const timeoutMs = 3000;
const tries = 2;
/** More addresses of one host are ignored. */
const maxAddresses = 16;

/**
 * Addresses of hosts. A name server's answer is kept for the time that it names, from a minute to a day, that there is none for five
 * minutes; no more than some look-ups are made at once, and each ends after some seconds. Names in the system's file of hosts are
 * not looked up, unless name servers are given.
 */
export class HostAddresses {
  readonly #clock: Clock;
  readonly #atOnce: number;
  readonly #maxHosts: number;
  readonly #servers: readonly string[] | undefined;
  readonly #named: ReadonlyMap<string, readonly string[]>;
  /** The least recently looked up first. */
  readonly #answers = new Map<string, Answer>();
  readonly #underWay = new Map<string, Promise<readonly string[] | undefined>>();
  readonly #waiting: Array<() => void> = [];
  #lookups = 0;
  #failures = 0;
  #running = 0;

  /** @throws TidemarkError `bad-option` if a server is no address */
  constructor({ servers, atOnce = 16, maxHosts = 100_000, clock }: HostAddressesOptions) {
    this.#clock = clock;
    this.#atOnce = atOnce;
    this.#maxHosts = maxHosts;
    this.#servers = servers;
    this.#named = servers === undefined ? readHostsFile() : new Map();
    try {
      this.#openResolver();
    } catch (error) {
      throw new TidemarkError("bad-option", `Not the address of a name server: ${servers?.join(", ")}.`, {
        hint: "Give an IP address and, if it is not 53, a port, such as 127.0.0.1:5353.",
        cause: error,
      });
    }
  }

  /** Look-ups that were made, and those that brought no address. */
  get counts(): { readonly lookups: number; readonly failures: number } {
    return { lookups: this.#lookups, failures: this.#failures };
  }

  /** Addresses of a host; none if it has none or cannot be looked up. Never rejects. */
  async of(host: string): Promise<readonly string[]> {
    return (await this.find(host)) ?? [];
  }

  /** As {@link of}; undefined if the name server did not answer, or could not: it may do so later. */
  async find(host: string): Promise<readonly string[] | undefined> {
    if (isIP(host) !== 0) return [host];
    const named = this.#named.get(host) ?? (host === "localhost" ? ["127.0.0.1"] : undefined);
    if (named !== undefined) return named;
    const known = this.#answers.get(host);
    if (known !== undefined && this.#clock() < known.until) return known.addresses;
    const underWay = this.#underWay.get(host) ?? this.#look(host).finally(() => this.#underWay.delete(host));
    this.#underWay.set(host, underWay);
    return await underWay;
  }

  /** Resolves names for connections. */
  get resolve(): ResolveName {
    return (name, { family }, callback) => {
      void this.of(name).then((addresses) => {
        const found = addresses.map((address): LookupAddress => ({ address, family: isIP(address) }));
        const wanted = found.filter((one) => family === undefined || family === 0 || family === one.family);
        if (wanted.length > 0) callback(null, wanted);
        else callback(Object.assign(new Error(`${name} has no address`), { code: "ENOTFOUND", syscall: "query" }), []);
      });
    };
  }

  /**
   * A resolver for one look-up. c-ares waits five times the mean of a resolver's earlier answers, whatever time it was given: a server that mostly
   * answers at once, from its cache, would have a second or two for a name that it must ask others for, and for a process that is held up.
   */
  #openResolver(): Resolver {
    const resolver = new Resolver({ timeout: timeoutMs, tries });
    if (this.#servers !== undefined) resolver.setServers(this.#servers);
    return resolver;
  }

  /** @returns undefined if the name server did not answer, or could not; that is not kept */
  async #look(host: string): Promise<readonly string[] | undefined> {
    if (this.#running >= this.#atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    this.#lookups++;
    const resolver = this.#openResolver();
    const found = await Promise.allSettled([
      resolver.resolve4(host, { ttl: true }),
      resolver.resolve6(host, { ttl: true }),
    ]);
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
    const records = found.flatMap((one) => (one.status === "fulfilled" ? one.value : [])).slice(0, maxAddresses);
    if (records.length === 0) this.#failures++;
    const isSure = found.every((one) => one.status === "fulfilled" || noAddress.has(one.reason?.code));
    if (records.length === 0 && !isSure) return undefined;
    const ttlMs = records.length === 0 ? failureMs : Math.min(...records.map(({ ttl }) => ttl)) * 1000;
    const keptMs = Math.min(mostMs, Math.max(leastMs, ttlMs));
    const addresses = records.map(({ address }) => address);
    this.#answers.delete(host);
    this.#answers.set(host, { until: this.#clock() + keptMs, addresses });
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > this.#maxHosts && oldest !== undefined) this.#answers.delete(oldest);
    return addresses;
  }
}

/** The system's file of hosts, as its own resolver reads it; empty if there is none. */
function readHostsFile(): ReadonlyMap<string, readonly string[]> {
  const hosts = new Map<string, string[]>();
  const path = "/etc/hosts";
  let text = "";
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return hosts;
  }
  for (const line of text.split("\n")) {
    const [address = "", ...names] = (line.split("#", 1)[0] ?? "").trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) hosts.set(name.toLowerCase(), [...(hosts.get(name.toLowerCase()) ?? []), address]);
  }
  return hosts;
}
