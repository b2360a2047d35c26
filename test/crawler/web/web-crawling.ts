import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { CrawlWebOptions } from "../../../src/crawler/web/web-options.ts";
import type { LoopbackWeb } from "./loopback-web.ts";

/** Where the sites are. */
export const addresses: readonly string[] = ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"];

export function optionsFor(web: LoopbackWeb, into: string, more: Partial<CrawlWebOptions> = {}): CrawlWebOptions {
  return {
    into,
    seeds: [`${web.originOf("s0.example")}/`],
    nameServers: [web.names.address],
    allowPrivate: true,
    keep: "metadata",
    queueBytes: 4 * 1024 * 1024,
    retryMs: 20,
    timeoutMs: 2000,
    ...more,
  };
}

/** Addresses of sites by number, some sites at each. */
export const addressOf = (host: string): string[] => [
  addresses[Number(/\d+/.exec(host)?.[0] ?? 0) % addresses.length] as string,
];

/** All lines of the kept links, by URL. */
export function readLinkFiles(into: string): Map<string, string[]> {
  const folder = join(into, "links");
  const lines = readdirSync(folder).flatMap((name) =>
    gunzipSync(readFileSync(join(folder, name)))
      .toString()
      .trimEnd()
      .split("\n"),
  );
  return new Map(
    lines.map((line) => {
      const [, url = "", ...links] = line.split("\t");
      return [url, links];
    }),
  );
}
