import { maxLinks } from "../../src/graph/index.ts";

/** What a fleet's needs follow from. */
export interface FleetLoad {
  readonly pages: number;
  /** Pages of a site. */
  readonly site: number;
  /** Pages of the largest site. */
  readonly largest: number;
  /** Days in which each page is visited once. */
  readonly days: number;
  /** Share of pages on sites that publish archives. */
  readonly archives: number;
  /** Share of those pages that change in a cycle. */
  readonly changed: number;
  /** k: pages of a visit. */
  readonly k: number;
  /** w: seconds of rest of a site. */
  readonly w: number;
  /** t: seconds of a request. */
  readonly t: number;
  /** Pages that a CPU second does. */
  readonly cpu: number;
  /** Processors of a worker's machine. */
  readonly cores: number;
  /** Bytes that are received a page. */
  readonly received: number;
  /** Bytes of a body as it is kept. */
  readonly body: number;
  /** Copies of bodies in the store of objects. */
  readonly copies: number;
  /** Bytes a page of the database's tables and indexes. */
  readonly database: number;
  /** Bytes a page request of the database's log. */
  readonly log: number;
  /** Links of a page. */
  readonly links: number;
  /** Bits a link in Parquet. */
  readonly link: number;
  /** Bytes of memory a node while ranks are computed. */
  readonly node: number;
  /** Visits a second that a database commits. */
  readonly commits: number;
  /** Bytes of a database's disks. */
  readonly disk: number;
  /** Bytes a second that a database writes of its log, all day. */
  readonly writes: number;
  /** Bits a second of a machine's network. */
  readonly network: number;
  /** Bytes of a machine's memory. */
  readonly memory: number;
  /** Bytes of memory of a process of Node. */
  readonly heap: number;
  /** Bytes of memory a site of a crawler of one process. */
  readonly crawler: number;
}

/** What is needed of something, and what one of it has. */
export interface FleetNeed {
  readonly what: string;
  readonly need: number;
  readonly one: number;
}

/** What a crawl of so many pages needs, beside what one database, machine, process or site has. */
export function estimateFleet(load: FleetLoad): readonly FleetNeed[] {
  const { pages, archives, changed, k } = load;
  const seconds = load.days * 86_400;
  const requests = pages * (1 - archives + archives * changed);
  const rate = requests / seconds;
  const sites = pages / load.site;
  const visits = Math.max(rate / k, sites / seconds);
  const turn = load.w + k * load.t;
  return [
    { what: "CPU seconds a second of workers", need: rate / load.cpu, one: load.cores },
    { what: "bits a second that workers receive", need: 8 * rate * load.received, one: load.network },
    { what: "sites under way at once", need: visits * k * load.t, one: 1024 },
    { what: "visits a second, all sites at k pages, w and t", need: visits, one: sites / turn },
    { what: "pages of the largest site in a cycle", need: load.largest, one: (seconds * k) / turn },
    { what: "visits a second that the database commits", need: visits, one: load.commits },
    { what: "bytes of the database", need: pages * load.database, one: load.disk },
    { what: "bytes a second of the database's log", need: rate * load.log, one: load.writes },
    { what: "bytes of bodies", need: pages * load.body * load.copies, one: load.disk },
    { what: "bytes of links in Parquet", need: (pages * load.links * load.link) / 8, one: load.disk },
    { what: "links of one graph", need: pages * load.links, one: maxLinks },
    { what: "bytes of memory to rank pages", need: pages * load.node, one: load.memory },
    { what: "CPU seconds a second of one process", need: rate / load.cpu, one: 1 },
    { what: "bytes of memory for the sites of one process", need: sites * load.crawler, one: load.heap },
  ];
}
