/** What requests of a log come to. */
export interface Tally {
  requests: number;
  /** Bytes of the answers, as the log has them: bodies, or bodies with headers. */
  bytes: number;
  /** Requests with `If-Modified-Since` or `If-None-Match`, as far as the log tells: a 304 is the answer to one in any case. */
  conditional: number;
  /** Answers 304. */
  notModified: number;
  /** Requests of pages that had not changed since the same crawler's last; counted for crawlers only. */
  needless: number;
  /** Bytes of the answers to needless requests. */
  wastedBytes: number;
  /** Answers of 400 and above. */
  errors: number;
  /** Requests of robots.txt. */
  robots: number;
  /** Requests that the site's robots.txt forbids; 0 without one to compare with. Counted for crawlers only. */
  breaches: number;
  /** Requests that say they are signed (Web Bot Auth, RFC 9421), as far as the log tells. The signature is not checked. */
  signed: number;
  /** Requests of the site's published archives, and the bytes of their answers. */
  archives: number;
  archiveBytes: number;
}

const noRequests: Readonly<Tally> = {
  requests: 0,
  bytes: 0,
  conditional: 0,
  notModified: 0,
  needless: 0,
  wastedBytes: 0,
  errors: 0,
  robots: 0,
  breaches: 0,
  signed: 0,
  archives: 0,
  archiveBytes: 0,
};

export const tallyKeys: readonly (keyof Tally)[] = Object.keys(noRequests) as (keyof Tally)[];

export function createTally(): Tally {
  return { ...noRequests };
}

/** Adds `more` to `sum`, or takes it away with `sign` -1. */
export function addTally(sum: Tally, more: Readonly<Tally>, sign: 1 | -1 = 1): void {
  for (const key of tallyKeys) sum[key] += sign * more[key];
}
