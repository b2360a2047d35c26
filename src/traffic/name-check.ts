import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import { isLocalAddress } from "./address-ranges.ts";
import { expandIpv6 } from "./shown-address.ts";
import type { ClaimedAddress } from "./traffic-counter.ts";

/**
 * Domains of the hosts of crawlers, as their operators publish them, by the beginnings of the crawlers' names. Not
 * all of googleusercontent.com: everybody's machines in Google's cloud have names below it.
 */
const domainsOf: Readonly<Record<string, readonly string[]>> = {
  googlebot: ["googlebot.com", "google.com"],
  "google-": ["googlebot.com", "google.com", "gae.googleusercontent.com"],
  adsbot: ["googlebot.com", "google.com"],
  bingbot: ["search.msn.com"],
  msnbot: ["search.msn.com"],
  bingpreview: ["search.msn.com"],
  yandex: ["yandex.ru", "yandex.net", "yandex.com"],
  baiduspider: ["baidu.com", "baidu.jp"],
  applebot: ["applebot.apple.com"],
  amazonbot: ["crawl.amazonbot.amazon"],
  slurp: ["crawl.yahoo.net"],
  seznambot: ["seznam.cz"],
  petalbot: ["petalsearch.com", "aspiegel.com"],
  yeti: ["naver.com"],
  qwantify: ["qwant.com"],
  ccbot: ["crawl.commoncrawl.org"],
  ahrefs: ["ahrefs.com", "ahrefs.net"],
  semrush: ["semrush.com"],
  bytespider: ["bytedance.com"],
  mojeekbot: ["mojeek.com"],
};

const timeoutMs = 3000;
const tries = 2;
/** Names of one address that are looked up. */
const maxNames = 8;
const lookupsAtATime = 16;

function findDomains(crawler: string): readonly string[] | undefined {
  const name = crawler.toLowerCase();
  return Object.entries(domainsOf).find(([start]) => name.startsWith(start))?.[1];
}

/** Whether a crawler's hosts have names that tell whose they are. */
export function hasKnownDomains(crawler: string): boolean {
  return findDomains(crawler) !== undefined;
}

/** Forward-confirmed reverse DNS: an address has a name below its operator's domain, and that name has the address. */
export class NameCheck {
  readonly #server: string;

  /** @param server - `ADDRESS` or `ADDRESS:PORT`; `system` for the resolvers of the machine */
  constructor(server: string) {
    this.#server = server;
    this.#openResolver();
  }

  /** @returns undefined if the DNS gave no answer, the log has no address of the client, or the crawler's domains are not known */
  async check(address: string, crawler: string): Promise<boolean | undefined> {
    const domains = findDomains(crawler);
    if (domains === undefined || isIP(address) === 0 || isLocalAddress(address)) return undefined;
    try {
      const resolver = this.#openResolver();
      const names = await resolver.resolvePtr(reverseName(address));
      for (const name of names.slice(0, maxNames)) {
        const host = name.toLowerCase();
        if (!domains.some((domain) => host === domain || host.endsWith(`.${domain}`))) continue;
        const found = isIP(address) === 4 ? await resolver.resolve4(host) : await resolver.resolve6(host);
        if (found.some((one) => canonical(one) === canonical(address))) return true;
      }
      return false;
    } catch (error) {
      const { code } = error as { code?: unknown };
      return code === "ENOTFOUND" || code === "ENODATA" ? false : undefined;
    }
  }

  // One a check: c-ares waits no longer than a few times the mean of a resolver's earlier answers.
  #openResolver(): Resolver {
    const resolver = new Resolver({ timeout: timeoutMs, tries });
    if (this.#server !== "system") resolver.setServers([this.#server]);
    return resolver;
  }

  /** Checks many addresses, some at a time. */
  async checkAll(
    claims: readonly ClaimedAddress[],
    onChecked: (claimed: ClaimedAddress, verified: boolean | undefined) => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const waiting = claims.values();
    const work = async (): Promise<void> => {
      for (const claimed of waiting) {
        signal?.throwIfAborted();
        onChecked(claimed, await this.check(claimed.address, claimed.crawler));
      }
    };
    await Promise.all(Array.from({ length: lookupsAtATime }, work));
  }
}

/** The name below which the DNS has names of an address. Node's `reverse` takes a server that fails for no name. */
function reverseName(address: string): string {
  if (isIP(address) === 4) return `${address.split(".").reverse().join(".")}.in-addr.arpa`;
  const nibbles = expandIpv6(address).flatMap((group) => [...group.padStart(4, "0")]);
  return `${nibbles.reverse().join(".")}.ip6.arpa`;
}

function canonical(address: string): string {
  return isIP(address) === 6 ? expandIpv6(address).join(":") : address;
}
