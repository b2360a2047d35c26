import { createReadStream, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { type CrawlSummary, omitUndefined, TidemarkError, wrapSystemError } from "../../core/index.ts";
import {
  type CrawlSettings,
  type CrawlSiteOptions,
  type CrawlWebOptions,
  crawlSite,
  createPoliteness,
  omitRunSettings,
  parseCrawlAddress,
  type RunSetting,
  readCrawlConfiguration,
  readRanks,
  type WebScopeOptions,
} from "../../crawler/index.ts";
import { findNetrcLogin } from "../../formats/netrc/index.ts";
import type { RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodeOfVisit, reportSiteError, worstExitCode } from "../terminal/exit-code.ts";
import { pickSites } from "../terminal/site-choice.ts";
import { addCrawlSummaries, CrawlPrinter, formatCrawlResult } from "./crawl-printer.ts";
import type { FleetArguments } from "./plan-fleet.ts";
import { findProxy } from "./proxy-choice.ts";
import { readSitesFile } from "./sites-file.ts";

/** What the command line says about a crawl. */
export interface CrawlArguments {
  /** Sites; beside a file those of the file that are meant, or none for all of them. */
  readonly urls: readonly string[];
  /** What holds for each of them, before what the file says. */
  readonly settings: Partial<Omit<CrawlSettings, "url">>;
  readonly configFile?: string;
  /** A file of sites; read again when it changes, while sites are followed. */
  readonly sitesFile?: string;
  /** Whether sites are visited again and again. */
  readonly isForever?: boolean;
  /** Requests to all sites together, several sites at a time. */
  readonly connections?: number;
  /** A crawl that finds its sites. */
  readonly web?: WebArguments;
  /** A crawl of many machines. */
  readonly fleet?: FleetArguments;
}

/** What the command line says about a crawl of the Web. */
export interface WebArguments
  extends WebScopeOptions,
    Pick<CrawlWebOptions, "order" | "batchPages" | "newShare" | "nameServers" | "lookups" | "retryMs"> {
  readonly seedsFile: string;
}

/** Crawls sites one after the other; one that cannot be crawled does not keep the others from it. */
export async function runCrawl(options: CrawlArguments, context: RunContext): Promise<ExitCode> {
  const { out, json, quiet, signal } = context;
  const sites = await findCrawlSites(options);
  const ofSites = new Map(sites.map((site) => [new URL(site.url).origin, site]));
  const politeness = createPoliteness({ ofSites });
  const files = new FilesOnce(context.input);
  const printer = new CrawlPrinter(context);
  const summaries: CrawlSummary[] = [];
  const codes: ExitCode[] = [];
  for (const site of sites) {
    try {
      const onEvent: CrawlSiteOptions["onEvent"] = (event) => printer.take(event);
      const given = { ...(await files.readOf(site)), politeness, signal, onEvent };
      const summary = await printer.during(crawlSite(given));
      summaries.push(summary);
      codes.push(exitCodeOfVisit(summary, site.budget));
      if (json && sites.length > 1) out.writeJson({ event: "site-summary", ...summary });
      if (!json && !quiet) out.write(formatCrawlResult(summary));
    } catch (error) {
      if (sites.length === 1) throw error;
      codes.push(reportSiteError(error, parseCrawlAddress(site.url, undefined).url, context));
    }
  }
  if (json) out.writeJson({ event: "summary", ...addCrawlSummaries(summaries) });
  return worstExitCode(codes);
}

/** The sites that a command line names, with their settings. */
export async function findCrawlSites({
  urls,
  settings,
  configFile,
  sitesFile,
}: CrawlArguments): Promise<CrawlSettings[]> {
  if (sitesFile !== undefined) return await readSitesFile(sitesFile, settings);
  if (configFile === undefined) return urls.map((url) => ({ ...settings, url }) as CrawlSettings);
  return pickSites(await readCrawlConfiguration(configFile, settings), ({ url }) => url, urls, configFile);
}

/** A site's settings, with what they name that is in files. */
type ReadSettings = Omit<CrawlSettings, "urls" | "header" | "netrc" | "ranksFile" | RunSetting> &
  Pick<CrawlSiteOptions, "urls" | "headers" | "weightOf">;

/** What settings name and is in files, each read once: several sites may share it, and standard input ends. */
export class FilesOnce {
  readonly #input: RunContext["input"];
  readonly #lists = new Map<string, readonly string[]>();
  readonly #texts = new Map<string, string>();
  readonly #ranks = new Map<string, ReturnType<typeof readRanks>>();

  /** @param input - the bytes of standard input */
  constructor(input: RunContext["input"]) {
    this.#input = input;
  }

  async readOf(settings: CrawlSettings): Promise<ReadSettings> {
    const { urls, ca, netrc, header, cookies, identity, ranksFile, ...site } = omitRunSettings(settings);
    const { url, login } = parseCrawlAddress(site.url, undefined);
    const auth = site.auth ?? login ?? (netrc === undefined ? undefined : this.#findLogin(netrc, url));
    return {
      ...site,
      url,
      ...omitUndefined({ auth, proxy: site.proxy ?? findProxy(url, process.env) }),
      ...(header === undefined ? {} : { headers: readHeaders(header) }),
      ...(urls === undefined ? {} : { urls: await this.#readList(urls), sources: site.sources ?? ["list"] }),
      ...(cookies === undefined ? {} : { cookies: this.#readText(cookies, "cookies") }),
      ...(identity === undefined ? {} : { identity: this.#readText(identity, "identity") }),
      ...(ca === undefined ? {} : { ca: this.#readText(ca, "certificates") }),
      ...(ranksFile === undefined ? {} : { weightOf: await this.#readWeights(ranksFile) }),
    };
  }

  async #readWeights(file: string): Promise<(url: string) => number> {
    const reading = this.#ranks.get(file) ?? readRanks(file);
    this.#ranks.set(file, reading);
    const ranks = await reading;
    return (url) => ranks.weightOf(url);
  }

  async #readList(file: string): Promise<readonly string[]> {
    const lines = this.#lists.get(file) ?? (await readLines(file, this.#input));
    this.#lists.set(file, lines);
    return lines;
  }

  #findLogin(file: string, url: string): string | undefined {
    const login = findNetrcLogin(this.#readText(file, "logins"), new URL(url).hostname.replace(/^\[|\]$/g, ""));
    return login === undefined ? undefined : `${login.user}:${login.password}`;
  }

  #readText(file: string, what: string): string {
    try {
      const text = this.#texts.get(file) ?? readFileSync(file, "utf8");
      this.#texts.set(file, text);
      return text;
    } catch (error) {
      throw wrapSystemError(error, `read the ${what} ${file}`, { file });
    }
  }
}

/** Fields as they are written on the command line; values stay out of messages, for they may be secret. */
function readHeaders(fields: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const field of fields) {
    const [, name = "", value = ""] = /^([^:\s]+)\s*:(.*)$/s.exec(field) ?? [];
    if (name === "")
      throw new TidemarkError("bad-option", "--header has no name before a colon.", {
        hint: "Write it as --header 'Accept-Language: de'.",
      });
    headers[name] = value.trim();
  }
  return headers;
}

/** Reads a list of URLs whole: several sites are asked for theirs. */
async function readLines(file: string, standardInput: RunContext["input"]): Promise<string[]> {
  const lines: string[] = [];
  try {
    const input = file === "-" ? Readable.from(standardInput(), { objectMode: false }) : createReadStream(file);
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const text = line.trim();
      if (text !== "" && !text.startsWith("#")) lines.push(text);
    }
  } catch (error) {
    throw wrapSystemError(error, `read the list ${file}`, { file });
  }
  return lines;
}
