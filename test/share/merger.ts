import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import Database from "libsql";
import { dayOf, formatWebEvent } from "../../src/formats/web-events/day-file.ts";
import type { WebEvent } from "../../src/formats/web-events/web-event.ts";
import { firstTrust, type PeerTrust } from "../../src/share/engine/trust/peer-trust.ts";
import { type MergeEventsOptions, type MergeSummary, mergeEvents } from "../../src/share/merge-events.ts";
import { openStore } from "../../src/storage/state/store.ts";
import { Crawler } from "../crawler/engine/site-visit.ts";

type Answer = string | Uint8Array | ((request: IncomingMessage, response: ServerResponse) => void);

/** A peer that answers as it is told. */
export class Peer implements AsyncDisposable {
  readonly answers: Map<string, Answer> = new Map();
  readonly requests: string[] = [];
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
    server.on("request", (request, response) => {
      const path = request.url ?? "";
      this.requests.push(path);
      const answer = this.answers.get(path);
      if (typeof answer === "function") answer(request, response);
      else if (answer === undefined) response.writeHead(404).end();
      else response.end(answer);
    });
    this.answers.set("/robots.shr", "version: 1.0\ncrawler: peer.example:80 peer/1\nrepository: /share/\n");
  }

  static async open(): Promise<Peer> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Peer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** A crawler that has crawled a site of four pages by links, and merges a peer. */
export class Merger implements AsyncDisposable {
  readonly crawler: Crawler;
  readonly peer: Peer;

  constructor(crawler: Crawler, peer: Peer) {
    this.crawler = crawler;
    this.peer = peer;
  }

  static async open(): Promise<Merger> {
    const crawler = await Crawler.open();
    const links = ["a", "b", "c"].map((name) => `<a href="/${name}">x</a>`).join("");
    crawler.site.set({ "/": `<p>index${links}`, "/a": "a", "/b": "b", "/c": "c" });
    crawler.site.answers.set("/", (_, response) => response.setHeader("content-type", "text/html"));
    await crawler.visit({ sources: ["links"] });
    crawler.now += 3_600_000;
    return new Merger(crawler, await Peer.open());
  }

  get seconds(): number {
    return Math.floor(this.crawler.now / 1000);
  }

  get today(): number {
    return dayOf(this.seconds);
  }

  /** An event of now of a page of the site. */
  event(path: string, more: Partial<WebEvent> = {}): WebEvent {
    const now = this.seconds;
    const url = this.crawler.site.origin + path;
    return {
      url,
      kind: "updated",
      sizeBytes: 9,
      modifiedAt: now,
      polledAt: now,
      crawler: "peer.example:80 a",
      ...more,
    };
  }

  /** What the peer says of today. */
  say(...events: readonly WebEvent[]): void {
    this.peer.answers.set(`/share/${this.today}.dat`, events.map(formatWebEvent).join(""));
  }

  async merge(more: Partial<MergeEventsOptions> = {}): Promise<MergeSummary> {
    const { crawler, peer } = this;
    return await mergeEvents({
      peers: [peer.url],
      into: crawler.folder.path,
      clock: () => crawler.now,
      days: 2,
      // No promise is checked by chance.
      random: () => 0.5,
      ...more,
    });
  }

  /** Lets the crawler trust a peer, as after many claims that were true. */
  trust(peer: string = this.peer.url): void {
    this.#setTrust(peer, { ...firstTrust, good: 60, at: this.seconds });
  }

  /** Puts a peer into quarantine. */
  distrust(peer: string): void {
    this.#setTrust(peer, { ...firstTrust, isQuarantined: true, bad: 60, at: this.seconds });
  }

  #setTrust(peer: string, trust: PeerTrust): void {
    using store = openStore({ into: this.crawler.folder.path });
    store.claims.settleClaims({ done: [], states: [[peer, trust]], withdrawnOf: [] });
  }

  /** The versions that the crawler holds of pages, as fields of an event. */
  versions(paths: readonly string[]): Map<string, Partial<WebEvent>> {
    using store = openStore({ into: this.crawler.folder.path });
    const site = store.peers.findSite(this.crawler.site.origin);
    const told = paths.map((path) => ({ path, polledAt: this.seconds }));
    return new Map(
      store.peers.lookAtNews(site?.id ?? 0, told).map(({ at, event }) => {
        return [paths[at] ?? "", { modifiedAt: event?.modifiedAt ?? 0, sizeBytes: event?.sizeBytes ?? 0 }];
      }),
    );
  }

  /** What the state says of each URL that a peer may move. */
  rows(): unknown[] {
    const database = new Database(join(this.crawler.folder.path, ".tidemark", "state.db"));
    const rows = database.prepare("SELECT path, state, unconfirmed, due, digest FROM url ORDER BY path").raw().all();
    database.close();
    return rows;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.crawler[Symbol.asyncDispose]();
    await this.peer[Symbol.asyncDispose]();
  }
}

/** What a merge came to, in the order of its summary. */
export const countsOf = ({ added, sooner, later, known, elsewhere, tooMany }: MergeSummary): readonly number[] => [
  added,
  sooner,
  later,
  known,
  elsewhere,
  tooMany,
];
