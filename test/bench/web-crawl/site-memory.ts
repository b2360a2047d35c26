import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { PageFilter } from "../../../src/core/page.ts";
import { WebFrontier } from "../../../src/crawler/web/web-frontier.ts";
import type { HostAddresses } from "../../../src/http/host-addresses.ts";
import { UrlQueue } from "../../../src/storage/queue/url-queue.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const atATime = 500;

/** Bytes of memory that a site with one waiting page takes, each with an address and a registrable domain of its own. */
export async function measureSiteMemory(sites: number): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const used = (): number => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  using temp = makeTempFolder("bench");
  using queue = new UrlQueue(temp.path, { memoryBytes: 64 * 1024 * 1024 });
  let located = 0;
  // Who answers is none of the frontier's: each host has the next address.
  const hosts = {
    find: async () => {
      const number = ++located;
      return [`93.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`];
    },
  } as Pick<HostAddresses, "find"> as HostAddresses;
  const filter: PageFilter = { key: "", urlsKey: "", matches: () => true, admits: () => true };
  const means = { filter, mediaTypes: { typeOf: () => undefined }, now: Date.now(), done: 0, ranks: undefined };
  const options = { seeds: [], into: temp.path, maxSites: 2 * sites };
  const frontier = new WebFrontier(options, { ...means, queue, hosts, random: Math.random });
  const before = used();
  for (let from = 0; from < sites; from += atATime) {
    const urls = Array.from({ length: atATime }, (_, at) => `https://www.a-site-of-many-${from + at}.example/`);
    frontier.add(urls, undefined);
    while (frontier.isLocating) await new Promise(setImmediate);
  }
  return (used() - before) / queue.sites;
}
