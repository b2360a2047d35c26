import { type EpochSeconds, omitUndefined } from "../core/index.ts";
import { LogClock, type LogLine, logField } from "../formats/access-log/index.ts";
import { AnswerTable } from "./answer-table.ts";
import { hashBytes } from "./byte-hash.ts";
import { type CrawlerName, KnownCrawlers, nameUnlisted } from "./known-crawlers.ts";
import { addTally, type CountedCrawler, createTally, type Tally } from "./tally.ts";
import { type TrafficReport, writeTrafficReport } from "./traffic-report.ts";

/** Bounds of memory; each is documented in docs/cli.md. */
const maxAgents = 100_000;
const maxClients = 200_000;
const maxAskers = 100_000;
const maxCrawlers = 10_000;
const answerCapacity = 1 << 22;
/** Bytes of a User-Agent that are looked at. */
const maxAgentBytes = 512;

/** A User-Agent: a crawler of the list, or a name that counts once a client with it asks for robots.txt. */
interface Agent {
  readonly name: CrawlerName;
  readonly listed: CountedCrawler | undefined;
}

/**
 * Counts the requests of a log's lines by who sent them.
 *
 * A crawler is who names itself as one of the list, and any client, which is an address with a User-Agent, that asks for
 * robots.txt anywhere in the log. Brandman et al. (section 4.1) and McLearn (section 1.1) take addresses alone for that;
 * but one address may have both people and a crawler behind it.
 */
export class TrafficCounter {
  readonly #seed: number;
  readonly #known = new KnownCrawlers();
  readonly #clock = new LogClock();
  readonly #agents = new Map<number, Agent>();
  readonly #crawlers = new Map<string, CountedCrawler>();
  /** Clients on no list that asked for robots.txt. */
  readonly #askers = new Map<number, CountedCrawler>();
  /** Clients on no list that have not asked so far. */
  readonly #clients = new Map<number, Tally>();
  readonly #answers = new AnswerTable(answerCapacity);
  readonly #all = createTally();
  #from: EpochSeconds | undefined;
  #to: EpochSeconds | undefined;
  #areConditionsLogged = false;
  #forgottenClients = 0;

  /** @param seed - 32 bits that nobody who writes into a log knows */
  constructor(seed: number) {
    this.#seed = seed;
  }

  add(line: LogLine): void {
    this.#addTime(line);
    const agentHash = this.#hash(line, logField.agent, 0);
    const agent = this.#agentOf(line, agentHash);
    const one = this.#readAnswer(line);
    addTally(this.#all, one);
    if (agent.listed === undefined) this.#addUnlisted(line, agent.name, agentHash, one);
    else this.#addToCrawler(agent.listed, line, one);
  }

  #addUnlisted(line: LogLine, name: CrawlerName, agentHash: number, one: Tally): void {
    const client = this.#hash(line, logField.address, agentHash);
    const asker = this.#askers.get(client) ?? (asksForRobots(line) ? this.#addAsker(client, name) : undefined);
    const tally = this.#clients.get(client);
    if (asker !== undefined) this.#addToCrawler(asker, line, one);
    else if (tally === undefined) this.#addClient(client, one);
    else addTally(tally, one);
  }

  get report(): TrafficReport {
    return writeTrafficReport({
      all: this.#all,
      crawlers: [...this.#crawlers.values()],
      areConditionsLogged: this.#areConditionsLogged,
      forgottenClients: this.#forgottenClients,
      uncomparedAnswers: this.#answers.refused,
      ...omitUndefined({ from: this.#from, to: this.#to }),
    });
  }

  #hash(line: LogLine, field: (typeof logField)[keyof typeof logField], salt: number): number {
    const from = line.knows(field) ? (line.from[field] as number) : 0;
    return hashBytes(line.bytes, from, line.knows(field) ? (line.to[field] as number) : 0, this.#seed ^ salt) || 1;
  }

  #addTime(line: LogLine): void {
    const time = this.#clock.timeOf(line);
    if (time === undefined) return;
    if (this.#from === undefined || time < this.#from) this.#from = time;
    if (this.#to === undefined || time > this.#to) this.#to = time;
  }

  #readAnswer(line: LogLine): Tally {
    const status = line.numberOf(logField.status);
    if (line.knows(logField.ifModifiedSince) || line.knows(logField.ifNoneMatch)) this.#areConditionsLogged = true;
    const isConditional = status === 304 || line.has(logField.ifModifiedSince) || line.has(logField.ifNoneMatch);
    const one = createTally();
    one.requests = 1;
    one.bytes = line.numberOf(logField.bytes);
    one.conditional = isConditional ? 1 : 0;
    one.notModified = status === 304 ? 1 : 0;
    one.errors = status >= 400 ? 1 : 0;
    return one;
  }

  #agentOf(line: LogLine, hash: number): Agent {
    const held = this.#agents.get(hash);
    if (held !== undefined) return held;
    const text = line.textOf(logField.agent, maxAgentBytes);
    const listed = this.#known.find(text);
    const agent = {
      name: listed ?? nameUnlisted(text),
      listed: listed === undefined ? undefined : this.#crawlerOf(listed),
    };
    // What is forgotten here is only looked up again.
    if (this.#agents.size >= maxAgents) this.#agents.clear();
    this.#agents.set(hash, agent);
    return agent;
  }

  #crawlerOf(wanted: CrawlerName): CountedCrawler {
    const isFull = this.#crawlers.size >= maxCrawlers;
    const name = isFull && !this.#crawlers.has(wanted.name) ? { ...wanted, name: "(more crawlers)" } : wanted;
    const held = this.#crawlers.get(name.name);
    if (held !== undefined) return held;
    const crawler = { name, tally: createTally(), salt: this.#crawlers.size + 1 };
    this.#crawlers.set(name.name, crawler);
    return crawler;
  }

  #addAsker(client: number, name: CrawlerName): CountedCrawler | undefined {
    if (this.#askers.size >= maxAskers) {
      this.#forgottenClients++;
      return undefined;
    }
    const crawler = this.#crawlerOf(name);
    this.#askers.set(client, crawler);
    const before = this.#clients.get(client);
    if (before !== undefined) addTally(crawler.tally, before);
    this.#clients.delete(client);
    return crawler;
  }

  #addClient(client: number, first: Tally): void {
    if (this.#clients.size >= maxClients) {
      this.#forgottenClients += this.#clients.size;
      this.#clients.clear();
    }
    this.#clients.set(client, first);
  }

  #addToCrawler(crawler: CountedCrawler, line: LogLine, one: Tally): void {
    if (this.#isNeedless(crawler, line)) {
      one.needless = 1;
      one.wastedBytes = one.bytes;
    }
    addTally(crawler.tally, one);
  }

  /**
   * Whether the crawler learned nothing: a 304, or a 200 like its last one of that URL, by ETag if the log has it, or else by
   * size. Summed over a URL's R requests these are R - (C + 1) of Brandman et al., section 4.1, where C are the changes that
   * this crawler saw.
   */
  #isNeedless(crawler: CountedCrawler, line: LogLine): boolean {
    if (line.knows(logField.method) && !line.equals(logField.method, "GET")) return false;
    if (line.equals(logField.status, "304")) return true;
    if (!line.equals(logField.status, "200") || !line.has(logField.target)) return false;
    const site = this.#hash(line, logField.host, crawler.salt);
    const page = this.#hash(line, logField.target, site);
    const answer = line.has(logField.etag)
      ? this.#hash(line, logField.etag, 0) >>> 0
      : line.numberOf(logField.bytes) >>> 0;
    return this.#answers.replace(page, answer) === answer;
  }
}

function asksForRobots(line: LogLine): boolean {
  const from = line.from[logField.target] as number;
  return (
    line.equals(logField.target, "/robots.txt") || (from >= 0 && line.textOf(logField.target, 12) === "/robots.txt?")
  );
}
