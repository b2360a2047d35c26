import { createRandom, pickInteger } from "../../../src/core/random.ts";
import type { NameAnswer } from "../../dns-server.ts";

/** What is wrong with a part of the Web. */
export const hostilities = [
  "wildcard",
  "domains",
  "new-sites",
  "silent-hosts",
  "lost-names",
  "failing-names",
  "private",
] as const;
/** One of {@link hostilities}. */
export type Hostility = (typeof hostilities)[number];

const names = 1_000_000;
const linksAPage = 200;
const newSitesAPage = 10_000;
const bad = 5000;
const farmAddress = "127.200.0.1";

/**
 * A part of the Web that a crawler must not be held up by: a million names of one domain or of as many domains at one address, each page
 * with 200 of them; a site whose pages each link to 10,000 new sites, which have no address; or a site that links to 5000 sites
 * that never answer, whose name servers never answer or fail, or that have private addresses.
 */
export class HostilePart {
  readonly #kind: Hostility;

  constructor(kind: Hostility) {
    this.#kind = kind;
  }

  /** The host that leads into it. */
  get bait(): string {
    return this.#kind === "wildcard" ? "0.farm.test" : this.#kind === "domains" ? "farm0.test" : "hub.test";
  }

  /** What a name server says; undefined of hosts that are none of it. */
  addressOf(host: string): NameAnswer | undefined {
    if (host === "hub.test" || /^(\d+\.farm|farm\d+)\.test$/.test(host)) return [farmAddress];
    const [, number] = /^bad(\d+)\.test$/.exec(host) ?? [];
    if (number === undefined) return undefined;
    const place = `${Math.floor(Number(number) / 250)}.${(Number(number) % 250) + 1}`;
    if (this.#kind === "silent-hosts") return [`127.201.${place}`];
    if (this.#kind === "private") return [`10.0.${place}`];
    if (this.#kind === "lost-names") return "silence";
    return this.#kind === "failing-names" ? "failure" : "no-name";
  }

  /** A page of it; undefined if it never answers. */
  htmlOf(host: string, path: string, port: number): string | undefined {
    if (host.startsWith("bad")) return undefined;
    const number = Number(/\d+/.exec(host + path)?.[0] ?? 0);
    const link = (to: string): string => `<a href="http://${to.replace("/", `:${port}/`)}">x</a>`;
    if (host !== "hub.test") {
      const random = createRandom(number);
      const hosts = Array.from({ length: linksAPage }, () => pickInteger(random, names));
      return hosts.map((to) => link(this.#kind === "wildcard" ? `${to}.farm.test/` : `farm${to}.test/`)).join("");
    }
    const isEndless = this.#kind === "new-sites";
    const count = isEndless ? newSitesAPage : bad;
    const hosts = Array.from({ length: count }, (_, at) => link(`bad${number * count + at}.test/`));
    return isEndless ? `${link(`hub.test/${number + 1}`)}${hosts.join("")}` : hosts.join("");
  }
}
