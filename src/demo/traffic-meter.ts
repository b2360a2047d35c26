/** What a server answered. */
export interface Traffic {
  readonly requests: number;
  /** Answers of 304. */
  readonly notModified: number;
  /** Requests below `/.well-known/tidemark/` and for `/robots.txt`. */
  readonly metadataRequests: number;
  /** Bytes of bodies. */
  readonly bytes: number;
}

/** One request as the server's log has it. */
export interface LoggedRequest {
  readonly path: string;
  readonly status: number;
  readonly bytes: number;
}

const logLagMs = 5000;
const metadataPath = /^\/(?:\.well-known\/tidemark\/|robots\.txt$)/;

/** Adds up a server's log, visit by visit. */
export class TrafficMeter {
  #entries: LoggedRequest[] = [];

  /** Takes one request. */
  add(entry: LoggedRequest): void {
    this.#entries.push(entry);
  }

  /**
   * What was asked since the last call.
   *
   * @param expected - requests that the client counted; the server's log may lag behind by a moment
   * @throws RangeError if the log has another number of them
   */
  async take(expected: number): Promise<Traffic> {
    for (const until = performance.now() + logLagMs; this.#entries.length < expected && performance.now() < until; ) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (this.#entries.length !== expected) {
      throw new RangeError(`the client counted ${expected} requests, the server ${this.#entries.length}`);
    }
    const entries = this.#entries;
    this.#entries = [];
    return {
      requests: entries.length,
      notModified: entries.filter((entry) => entry.status === 304).length,
      metadataRequests: entries.filter((entry) => metadataPath.test(entry.path)).length,
      bytes: entries.reduce((sum, entry) => sum + entry.bytes, 0),
    };
  }
}
