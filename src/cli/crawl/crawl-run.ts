import { createReadStream, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { CrawlEvent } from "../../core/index.ts";
import { type CrawlSummary, wrapSystemError } from "../../core/index.ts";
import type { CrawlSiteOptions } from "../../crawler/index.ts";
import { type CrawlSettings, crawlSite, createPoliteness, parseSiteAddress } from "../../crawler/index.ts";
import { printEvent, type RunContext } from "../terminal/command.ts";
import { reportSiteError } from "../terminal/error-report.ts";
import { type ExitCode, exitCodeOfVisit, worstExitCode } from "../terminal/exit-code.ts";
import { pickSites } from "../terminal/site-choice.ts";
import { CrawlPrinter, formatCrawlResult } from "./crawl-printer.ts";
import { addCrawlSummaries } from "./crawl-sum.ts";

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
  /** Requests to all sites together; undefined if sites are visited one after the other. */
  readonly connections?: number;
  /** Is told what is ignored in the addresses of many sites; one after the other they tell it themselves. */
  readonly onAddress?: (event: CrawlEvent) => void;
}

/** Crawls sites one after the other; one that cannot be crawled does not keep the others from it. */
export async function runCrawl(options: CrawlArguments, context: RunContext): Promise<ExitCode> {
  const { out, err, json, quiet } = context;
  const sites = await findCrawlSites(options);
  const ofSites = new Map(sites.map((site) => [new URL(site.url).origin, site]));
  const politeness = createPoliteness({ ofSites });
  const files = new FilesOnce(context.input);
  const printer = new CrawlPrinter(err, quiet);
  const summaries: CrawlSummary[] = [];
  const codes: ExitCode[] = [];
  for (const site of sites) {
    try {
      const given = { ...(await files.readOf(site)), politeness };
      const summary = await crawlOne(given, context, printer);
      summaries.push(summary);
      codes.push(exitCodeOfVisit(summary, site.budget));
      if (json && sites.length > 1) out.writeJson({ event: "site-summary", ...summary });
      if (!json && !quiet) out.write(formatCrawlResult(summary));
    } catch (error) {
      if (sites.length === 1) throw error;
      codes.push(reportSiteError(error, site.url, context));
    }
  }
  if (json) out.writeJson({ event: "summary", ...addCrawlSummaries(summaries) });
  return worstExitCode(codes);
}

/** The sites that a command line names, with their settings. */
export async function findCrawlSites(options: CrawlArguments): Promise<CrawlSettings[]> {
  const sites = await readCrawlSites(options);
  const { onAddress } = options;
  if (onAddress !== undefined) for (const { url } of sites) parseSiteAddress(url, onAddress);
  return sites;
}

async function readCrawlSites({ urls, settings, configFile, sitesFile }: CrawlArguments): Promise<CrawlSettings[]> {
  if (sitesFile !== undefined) {
    const { readSitesFile } = await import("./sites-file.ts");
    return await readSitesFile(sitesFile, settings);
  }
  if (configFile === undefined) return urls.map((url) => ({ ...settings, url }) as CrawlSettings);
  const { readCrawlConfiguration } = await import("./crawl-configuration.ts");
  return pickSites(await readCrawlConfiguration(configFile, settings), ({ url }) => url, urls, configFile);
}

/** A site's settings, with what they name that is in files. */
type ReadSettings = Omit<CrawlSettings, "urls"> & Pick<CrawlSiteOptions, "urls">;

/** What settings name and is in files, each read once: several sites may share it, and standard input ends. */
export class FilesOnce {
  readonly #input: RunContext["input"];
  readonly #lists = new Map<string, readonly string[]>();
  readonly #certificates = new Map<string, string>();

  /** @param input - the bytes of standard input */
  constructor(input: RunContext["input"]) {
    this.#input = input;
  }

  async readOf({ urls, ca, ...site }: CrawlSettings): Promise<ReadSettings> {
    return {
      ...site,
      ...(urls === undefined ? {} : { urls: await this.#readList(urls), sources: site.sources ?? ["list"] }),
      ...(ca === undefined ? {} : { ca: this.#readCertificates(ca) }),
    };
  }

  async #readList(file: string): Promise<readonly string[]> {
    const lines = this.#lists.get(file) ?? (await readLines(file, this.#input));
    this.#lists.set(file, lines);
    return lines;
  }

  #readCertificates(file: string): string {
    const text = this.#certificates.get(file) ?? readText(file, "certificates");
    this.#certificates.set(file, text);
    return text;
  }
}

function readText(file: string, what: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw wrapSystemError(error, `read the ${what} ${file}`, { file });
  }
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

async function crawlOne(options: CrawlSiteOptions, context: RunContext, printer: CrawlPrinter): Promise<CrawlSummary> {
  try {
    return await crawlSite({
      ...options,
      signal: context.signal,
      onEvent: (event) => {
        printEvent(context, event);
        printer.show(event, context.json);
      },
    });
  } finally {
    printer.end();
  }
}
