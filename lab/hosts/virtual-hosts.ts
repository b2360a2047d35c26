import { createRandom, type Random } from "../../src/core/random.ts";
import type { EpochSeconds } from "../../src/core/time.ts";
import { ArchiveLists } from "./archive-lists.ts";
import { HostServer } from "./host-server.ts";
import { drawCourse } from "./page-course.ts";
import { noLists, SitemapLists } from "./sitemap-lists.ts";
import { type HostKind, type HostPorts, type HostTrouble, hostKinds } from "./virtual-host.ts";

/** What a web of sites is like. */
export interface HostsShape {
  /** A whole number; the same web for the same. */
  readonly seed: number;
  /** Origin of each site. */
  readonly origins: readonly string[];
  readonly from: EpochSeconds;
  readonly to: EpochSeconds;
  /** Mean time between two changes of a page: of each page drawn between these, evenly on a logarithmic scale. */
  readonly leastMeanSeconds: number;
  readonly mostMeanSeconds: number;
  /** Times between publications of sites with archives; each has one. */
  readonly publicationSeconds: readonly number[];
  readonly leastPages: number;
  readonly mostPages: number;
  /** Share of sites with which something is wrong for a while: from 0 to 1. */
  readonly troubleShare: number;
  /** Of trouble that passes, and of what a site with too much to do asks for. */
  readonly troubleSeconds: number;
  readonly retryAfterSeconds: number;
}

function drawTrouble(shape: HostsShape, random: Random): HostTrouble | undefined {
  const [isAny, whichKind, when] = [random(), random(), random()];
  if (isAny >= shape.troubleShare) return undefined;
  const { from, to, troubleSeconds, retryAfterSeconds } = shape;
  const begins = Math.round(from + (0.1 + 0.6 * when) * (to - from)) * 1000;
  const kind = (["silence", "closed", "overloaded"] as const)[Math.floor(whichKind * 3)] ?? "silence";
  // A site that closes has vanished.
  const ends = kind === "closed" ? Number.POSITIVE_INFINITY : begins + troubleSeconds * 1000;
  return { kind, from: begins, to: ends, retryAfterSeconds };
}

function makeHost(shape: HostsShape, site: number, origin: string, ports: HostPorts): HostServer {
  const { seed, from, to, leastMeanSeconds, mostMeanSeconds, leastPages, mostPages, publicationSeconds } = shape;
  const random = createRandom(seed, "host", site);
  const kind: HostKind = hostKinds[site % hostKinds.length] ?? "links";
  const everySeconds = publicationSeconds[Math.floor(random() * publicationSeconds.length)] ?? to - from;
  const phase = Math.floor(random() * everySeconds);
  // Archives had been published for some time.
  const first = from - 8 * everySeconds + phase;
  const count = leastPages + Math.floor(random() * (mostPages - leastPages + 1));
  const pages = Array.from({ length: count }, (_, number) => {
    const meanSeconds = leastMeanSeconds * (mostMeanSeconds / leastMeanSeconds) ** random();
    const path = number === 0 ? "/" : `/page-${String(number).padStart(4, "0")}.html`;
    return drawCourse(path, { from: first - 1, to, meanSeconds }, random);
  });
  const lists = {
    archives: () => new ArchiveLists(origin, pages, { first, everySeconds }, ports),
    sitemap: () => new SitemapLists(origin, pages),
    links: () => noLists,
  };
  const trouble = drawTrouble(shape, random);
  return new HostServer({ origin, kind, pages, lists: lists[kind](), trouble }, ports);
}

/** Makes a web of sites that change: a third with archives, a third with a sitemap, a third with nothing but links. */
export function makeHosts(shape: HostsShape, ports: HostPorts): ReadonlyMap<string, HostServer> {
  return new Map(shape.origins.map((origin, site) => [origin, makeHost(shape, site, origin, ports)]));
}
