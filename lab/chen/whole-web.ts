/** What Chen's estimates of a crawl of the whole Web by volunteers rest on. */
export interface WholeWeb {
  /** Host names. */
  readonly hosts: number;
  /** Pages of a host: the paper's out-degree by in-degree. */
  readonly pages: number;
  /** S: links of a page. */
  readonly links: number;
  /** Days that a crawl takes. */
  readonly days: number;
  /** Seconds of a volunteer for each link of a page: a request for its status. */
  readonly check: number;
  /** Bytes of a URL. */
  readonly url: number;
  /** Copies that are stored. */
  readonly copies: number;
  /** Bytes of a work unit's templates. */
  readonly template: number;
  /** Bytes of TCP and IP headers of a task, each way. */
  readonly headers: number;
  /** By what compression divides what is sent. */
  readonly compression: number;
  /** URLs that are ranked in a second. */
  readonly ranking: number;
}

/** What follows from {@link WholeWeb}; bytes are decimal. */
export interface WholeWebNeeds {
  readonly nodes: number;
  readonly nodesPerSecond: number;
  readonly secondsPerNode: number;
  readonly volunteers: number;
  readonly storageBytes: number;
  readonly sentBytesPerSecond: number;
  readonly receivedBytesPerSecond: number;
  readonly sentPackedBytesPerSecond: number;
  readonly receivedPackedBytesPerSecond: number;
  readonly rankingSeconds: number;
  readonly rankingShare: number;
}

/**
 * Volunteers, storage and traffic of a server that has the whole Web crawled by volunteers, each page once.
 *
 * @see K. Chen, An Open Solution to Discover the Graph Structure of World Wide Web, sections 5.3.1 to 5.3.3, equations 5.6 and 5.7
 */
export function estimateWholeWeb(web: WholeWeb): WholeWebNeeds {
  const nodes = web.hosts * web.pages;
  const seconds = web.days * 86_400;
  const nodesPerSecond = nodes / seconds;
  const secondsPerNode = web.links * web.check;
  const sentBytesPerSecond = nodesPerSecond * (web.template + web.url + web.headers);
  const receivedBytesPerSecond = nodesPerSecond * (web.links * web.url + web.headers);
  const rankingSeconds = nodes / web.ranking;
  return {
    ...{ nodes, nodesPerSecond, secondsPerNode, volunteers: nodesPerSecond * secondsPerNode },
    storageBytes: nodes * web.url * web.copies,
    ...{ sentBytesPerSecond, receivedBytesPerSecond },
    sentPackedBytesPerSecond: sentBytesPerSecond / web.compression,
    receivedPackedBytesPerSecond: receivedBytesPerSecond / web.compression,
    ...{ rankingSeconds, rankingShare: rankingSeconds / seconds },
  };
}
