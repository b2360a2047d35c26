import type { EpochSeconds } from "../core/index.ts";
import { type LogLine, logField } from "../formats/access-log/index.ts";
import { type Robots, robotsAllow } from "../formats/robots/index.ts";
import { Account, DayBudget } from "./account.ts";
import type { AddressRanges } from "./address-ranges.ts";
import { AnswerTable } from "./answer-table.ts";
import { type Client, ClientTable } from "./client-table.ts";
import { type Basis, Crawler, PeakMinute, type Verified } from "./crawler.ts";
import { DayRows, maxDays, noRows } from "./day-rows.ts";
import { type CrawlerName, KnownCrawlers, nameUnlisted } from "./known-crawlers.ts";
import { LogRequest } from "./log-request.ts";
import { mediaKinds } from "./media-kind.ts";
import { PageVisits } from "./page-visits.ts";
import { plainAddress, truncateAddress } from "./shown-address.ts";
import type { SiteHistory } from "./site-history.ts";
import type { Tally } from "./tally.ts";

/** Bounds of memory; each is documented in docs/cli.md. */
const maxAgents = 50_000;
const maxClients = 100_000;
const maxClientDays = 250_000;
const maxCrawlers = 10_000;
const maxCrawlerDays = 100_000;
/** Days of clients that wait for an answer of DNS. */
const maxHeldDays = 100_000;
const answerCapacity = 1 << 22;
const maxVisitBytes = 64 * 1024 * 1024;
/** Bytes of a User-Agent, an address and a target that are looked at. */
const maxAgentBytes = 512;
const maxAddressBytes = 64;
const maxTargetBytes = 8000;

/** Share of what a browser loads with pages, in a log of a site whose pages have such files and serve them themselves. */
const leastAssetShare = 0.1;

interface Agent {
  readonly name: CrawlerName;
  /** Its crawler, if it is on the list and nobody checks its addresses. */
  readonly listed: Crawler | undefined;
  readonly isListed: boolean;
}

/** A client of a crawler, when it is not counted on its own any more. */
export interface CountedClient {
  readonly name: string;
  readonly purpose: string;
  readonly basis: Basis;
  readonly verified: Verified;
  readonly address: string;
  readonly tally: Readonly<Tally>;
}

/** An address, and the crawler that a client at it says it is. */
export interface ClaimedAddress {
  readonly address: string;
  readonly crawler: string;
}

/** A crawler and what it did. */
export interface CountedCrawler {
  readonly crawler: Crawler;
  readonly account: Account;
  readonly clients: number;
}

/** What {@link TrafficCounter} may use beside the log. */
export interface CounterOptions {
  /** 32 bits that nobody who writes into a log knows. */
  readonly seed: number;
  /** Addresses of crawlers, by their names in lower case. */
  readonly ranges?: ReadonlyMap<string, AddressRanges>;
  /** Whether clients of this crawler are held back until {@link TrafficCounter.settle} says whose they are. */
  readonly isResolved?: (name: string) => boolean;
  readonly robots?: Robots;
  readonly history?: SiteHistory;
  readonly onClient?: (client: CountedClient) => void;
}

/**
 * Counts the requests of a log's lines by who sent them.
 *
 * A crawler is who names itself as one of the list; any client, which is an address with a User-Agent, that asks for
 * robots.txt anywhere in the log; and a client that behaves as one. Brandman et al. (section 4.1) and McLearn (section 1.1)
 * take addresses that ask for robots.txt; but one address may have both people and a crawler behind it.
 */
export class TrafficCounter {
  readonly #options: CounterOptions;
  readonly #known = new KnownCrawlers();
  readonly #request: LogRequest;
  readonly #agents = new Map<number, Agent>();
  readonly #crawlers = new Map<string, Crawler>();
  readonly #clients = new ClientTable(maxClients, maxClientDays, (client) => this.#close(client));
  /** Clients that wait for {@link settle}, by address and the crawler's name: several may be named at one address. */
  readonly #held = new Map<string, Client[]>();
  #heldDays = 0;
  readonly #crawlerDays = new DayBudget(maxCrawlerDays);
  readonly #answers = new AnswerTable(answerCapacity);
  readonly #visited: number;
  readonly #all = new DayRows(maxDays);
  #allDays = noRows;
  readonly peak: PeakMinute = new PeakMinute();
  readonly kinds: Float64Array = new Float64Array(2 * mediaKinds.length);
  from: EpochSeconds | undefined;
  to: EpochSeconds | undefined;
  areConditionsLogged = false;
  #withVisits = 0;
  #unlistedPages = 0;
  #unlistedAssets = 0;

  constructor(options: CounterOptions) {
    this.#options = options;
    this.#request = new LogRequest(options.seed);
    this.#visited = Math.floor(maxVisitBytes / (4 * Math.max(1, options.history?.size ?? 1)));
  }

  add(line: LogLine): void {
    const request = this.#request;
    request.read(line);
    if (request.hasTime) this.#noteTime(request.time);
    if (line.knows(logField.ifModifiedSince) || line.knows(logField.ifNoneMatch)) this.areConditionsLogged = true;
    this.#countAll();
    const at = 2 * request.kind;
    this.kinds[at] = (this.kinds[at] as number) + 1;
    this.kinds[at + 1] = (this.kinds[at + 1] as number) + request.bytes;
    const agentHash = request.hash(logField.agent, 0);
    const agent = this.#agentOf(agentHash);
    const key = request.hash(logField.address, agentHash);
    let client = this.#clients.find(key);
    if (client === undefined) {
      client = this.#clients.open(key);
      if (agent.isListed) this.#assignListed(client, agent);
    }
    if (!agent.isListed) this.#observe(client, agent);
    const crawler = this.#clients.crawlerOf(client);
    if (crawler === undefined) this.#clients.count(client, request, false, false);
    else {
      crawler.note(request);
      this.#clients.count(client, request, this.#isNeedless(crawler), this.#isBreach(crawler));
      if (crawler.visits !== undefined) this.#visit(crawler.visits);
    }
  }

  /** What all did. */
  get all(): Account {
    return this.#all.accountOf(this.#allDays);
  }

  /** Crawlers and what they did so far, with clients that are still counted on their own. */
  get crawlers(): CountedCrawler[] {
    const counted = new Map<Crawler, { readonly crawler: Crawler; readonly account: Account; clients: number }>();
    for (const crawler of this.#crawlers.values()) {
      const account = new Account();
      account.merge(crawler.account);
      counted.set(crawler, { crawler, account, clients: crawler.clients });
    }
    for (const client of [this.#clients.ofCrawlers(), ...this.#held.values()].flatMap((some) => [...some])) {
      const one = counted.get(client.crawler) as { readonly account: Account; clients: number };
      one.account.merge(client.account);
      one.clients++;
    }
    return [...counted.values()].filter(({ account }) => account.tally.requests > 0);
  }

  /** All lines are there. @returns what clients that wait for {@link settle} say they are */
  close(): ClaimedAddress[] {
    this.#clients.clear();
    return [...this.#held.values()].flatMap(([first]) =>
      first === undefined ? [] : [{ address: first.address, crawler: first.crawler.name.name }],
    );
  }

  /** Says whether an address is of the crawler's operator. */
  settle(claimed: ClaimedAddress, verified: Verified): void {
    const key = keyOf(claimed);
    for (const client of this.#held.get(key) ?? []) {
      const { name, basis } = client.crawler;
      this.#heldDays -= client.account.days.length;
      this.#fold({ ...client, crawler: this.#crawlerOf(name, basis, verified, client.crawler) });
    }
    this.#held.delete(key);
  }

  /** Answers that were not compared with later ones, because the table was full. */
  get uncomparedAnswers(): number {
    return this.#answers.refused;
  }

  /** Clients that were forgotten to make room. */
  get forgottenClients(): number {
    return this.#clients.forgotten;
  }

  /** Requests of crawlers that count in another day than theirs, because there were too many days. */
  get misplacedRequests(): number {
    return this.#crawlerDays.misplaced;
  }

  /** Whether a site's own log has what browsers load with pages, so that clients can be judged by it. */
  get isBehaviourJudged(): boolean {
    return this.#unlistedAssets >= leastAssetShare * (this.#unlistedAssets + this.#unlistedPages);
  }

  #noteTime(time: EpochSeconds): void {
    if (this.from === undefined || time < this.from) this.from = time;
    if (this.to === undefined || time > this.to) this.to = time;
    this.peak.add(time);
  }

  #countAll(): void {
    const { day } = this.#request;
    let row = this.#all.find(this.#allDays, day);
    if (row === noRows) {
      row = this.#all.push(this.#allDays, day);
      this.#allDays = row;
    }
    this.#all.add(row, this.#request, false, false);
  }

  #assignListed(client: number, { name, listed }: Agent): void {
    const address = this.#readAddress();
    const isOwn = this.#options.ranges?.get(name.name.toLowerCase())?.has(address);
    this.#clients.assign(client, listed ?? this.#crawlerOf(name, "list", isOwn), address);
  }

  /** Whether a client on no list is a crawler after all. */
  #observe(client: number, agent: Agent): void {
    const request = this.#request;
    const clients = this.#clients;
    if (request.isAsset) this.#unlistedAssets++;
    else if (request.isPage) this.#unlistedPages++;
    const mayShow = clients.note(client, request);
    // Without an address, all who have the same browser are one client.
    if (!request.has(logField.address) && agent.name.name.startsWith("(")) return;
    const crawler = clients.crawlerOf(client);
    if (crawler !== undefined) {
      if (crawler.basis === "robots.txt" || !request.isOfRobots) return;
    } else if (!request.isOfRobots && !(mayShow && this.isBehaviourJudged && clients.behavesAsCrawler(client))) return;
    const address = this.#readAddress();
    const found = request.isOfRobots
      ? this.#crawlerOf(agent.name, "robots.txt", undefined)
      : this.#crawlerOf(this.#nameHidden(agent.name, address), "behaviour", undefined);
    clients.assign(client, found, address);
  }

  #readAddress(): string {
    return plainAddress(this.#request.text(logField.address, maxAddressBytes));
  }

  #nameHidden(name: CrawlerName, address: string): CrawlerName {
    return { ...name, name: `${name.name} ${truncateAddress(address)}` };
  }

  #agentOf(hash: number): Agent {
    const held = this.#agents.get(hash);
    if (held !== undefined) return held;
    const text = this.#request.text(logField.agent, maxAgentBytes);
    const listed = this.#known.find(text);
    const name = listed ?? nameUnlisted(text);
    const isChecked = listed !== undefined && this.#options.ranges?.has(listed.name.toLowerCase()) === true;
    const agent = {
      name,
      listed: listed === undefined || isChecked ? undefined : this.#crawlerOf(name, "list", undefined),
      isListed: listed !== undefined,
    };
    // What is forgotten here is only looked up again.
    if (this.#agents.size >= maxAgents) this.#agents.clear();
    this.#agents.set(hash, agent);
    return agent;
  }

  #crawlerOf(wanted: CrawlerName, basis: Basis, verified: Verified, unverified?: Crawler): Crawler {
    // One program on the servers of several operators is several crawlers.
    const keyOf = ({ name, operator }: CrawlerName): string => `${name} ${operator ?? ""} ${basis} ${verified ?? ""}`;
    const isFull = this.#crawlers.size >= maxCrawlers && !this.#crawlers.has(keyOf(wanted));
    const name: CrawlerName = isFull ? { name: "(more crawlers)", operator: undefined, purpose: "unknown" } : wanted;
    const held = this.#crawlers.get(keyOf(name));
    if (held !== undefined) return held;
    const crawler = new Crawler(name, basis, verified, this.#crawlers.size + 1, this.#crawlerDays, unverified);
    const { history } = this.#options;
    if (history !== undefined && unverified === undefined && !crawler.isOfMany && this.#withVisits < this.#visited) {
      this.#withVisits++;
      crawler.visits = new PageVisits(history);
    }
    this.#crawlers.set(keyOf(name), crawler);
    return crawler;
  }

  /** A client is forgotten: what it did counts as its crawler's. */
  #close(client: Client): void {
    const { crawler, address, account } = client;
    const isWaiting = crawler.basis === "list" && crawler.verified === undefined;
    const isResolved = isWaiting && this.#options.isResolved?.(crawler.name.name) === true;
    if (isResolved && this.#heldDays + account.days.length <= maxHeldDays) {
      this.#heldDays += account.days.length;
      const key = keyOf({ address, crawler: crawler.name.name });
      const held = this.#held.get(key);
      if (held === undefined) this.#held.set(key, [client]);
      else held.push(client);
    } else this.#fold(client);
  }

  #fold({ account, address, crawler }: Client): void {
    const { name, basis, verified } = crawler;
    crawler.account.merge(account);
    crawler.clients++;
    this.#options.onClient?.({
      name: name.name,
      purpose: name.purpose,
      basis,
      verified,
      address,
      tally: account.tally,
    });
  }

  /**
   * Whether the crawler learned nothing: a 304, or a 200 like its last one of that URL, by ETag if the log has it, or else by
   * size. Who goes by a name of many is told apart by address. Summed over a URL's R requests these are R - (C + 1) of Brandman et al., section 4.1, where C are the changes that
   * this crawler saw.
   */
  #isNeedless(crawler: Crawler): boolean {
    const request = this.#request;
    const { status } = request;
    if (!request.isGet || request.isOfArchives) return false;
    if (status === 304) return true;
    if (status !== 200 || request.targetHash === 0) return false;
    const { salt, isOfMany } = crawler;
    const site = request.hash(logField.host, isOfMany ? request.hash(logField.address, salt) : salt);
    // 53 bits of two hashes; the sum stays a whole number.
    const page = mix(request.targetHash, site);
    const answer = request.has(logField.etag) ? request.hashTag() : request.bytes >>> 0;
    return this.#answers.replace(page, answer) === answer;
  }

  #isBreach(crawler: Crawler): boolean {
    const { robots } = this.#options;
    const request = this.#request;
    if (robots === undefined || request.isOfRobots || request.targetHash === 0) return false;
    return !robotsAllow(robots, crawler.name.name.toLowerCase(), request.text(logField.target, maxTargetBytes));
  }

  #visit(visits: PageVisits): void {
    const request = this.#request;
    const { time, bytes, status } = request;
    if (request.isOfArchives) visits.addArchive(time, bytes);
    else if (!request.isGet || request.isOfRobots || !request.hasTime) visits.addNeeded(bytes);
    else {
      const isSeen = status === 200 || status === 304;
      visits.add(isSeen ? this.#options.history?.find(request.targetHash) : undefined, time, bytes);
    }
  }
}

function keyOf({ address, crawler }: ClaimedAddress): string {
  return `${address} ${crawler}`;
}

/** Two hashes of 53 bits as one. */
function mix(a: number, b: number): number {
  const low = Math.imul((a >>> 0) ^ (b >>> 0), 2_654_435_761) >>> 0;
  const high = (Math.floor(a / 4_294_967_296) ^ Math.imul(b >>> 0, 1_597_334_677) ^ (b / 4_294_967_296)) & 0x1fffff;
  return high * 4_294_967_296 + low || 1;
}
