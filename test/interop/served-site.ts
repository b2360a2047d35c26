import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { makeTempFolder, type TempFolder } from "../temp-folder.ts";
import { churn, makeSite } from "./churn.ts";
import { crawl, exportDocroot } from "./command.ts";
import { compareTrees } from "./file-tree.ts";
import { type PublishedSet, readPublishedSet } from "./published-set.ts";
import { createRandom, type Random } from "./random.ts";
import { type ServerKind, startWebServer, type WebServer } from "./web-server.ts";

/** What a site is made of, and where. */
export interface ServedSiteOptions {
  readonly seed: number;
  /** How many pages it has, or what makes them. */
  readonly pages: number | ((docroot: string) => unknown);
  /** @default "nginx" */
  readonly kind?: ServerKind;
  /** More lines of the server's configuration. */
  readonly snippet?: (docroot: string) => string;
  /** Folders for its files, the exporter's state and the crawler's copy. Default: below a temporary one. */
  readonly docroot?: string;
  readonly state?: string;
  readonly into?: string;
}

/** Paths of what an export puts beside the pages. */
export const exported: readonly string[] = ["/robots.txt", "/.well-known"];

/** A site on a real server, with what its exporter and its crawler keep; all of it vanishes with its scope. */
export class ServedSite implements AsyncDisposable {
  readonly docroot: string;
  readonly state: string;
  readonly into: string;
  readonly random: Random;
  readonly server: WebServer;
  readonly #temp: TempFolder;

  private constructor(
    temp: TempFolder,
    server: WebServer,
    docroot: string,
    random: Random,
    options: ServedSiteOptions,
  ) {
    this.#temp = temp;
    this.server = server;
    this.docroot = docroot;
    this.state = options.state ?? join(temp.path, "state");
    this.into = options.into ?? join(temp.path, "crawled");
    this.random = random;
  }

  static async open(options: ServedSiteOptions): Promise<ServedSite> {
    const { seed, pages, kind = "nginx", snippet } = options;
    const temp = makeTempFolder("site");
    const docroot = options.docroot ?? join(temp.path, "docroot");
    mkdirSync(docroot, { recursive: true });
    const random = createRandom(seed);
    if (typeof pages === "number") makeSite(docroot, pages, random);
    else pages(docroot);
    const server = await startWebServer(kind, docroot, { snippet: snippet?.(docroot) ?? "" });
    return new ServedSite(temp, server, docroot, random, options);
  }

  get url(): string {
    return this.server.url;
  }

  /** The crawler's copy of the pages. */
  get mirror(): string {
    return join(this.into, `127.0.0.1_${this.server.port}`);
  }

  /** What the command line is told to export it. */
  get exportArguments(): string[] {
    return ["export", this.docroot, "--base-url", this.url, "--state", this.state, "--json"];
  }

  /** Changes it as its owner might. See {@link churn}. */
  change(share: number): void {
    churn(this.docroot, this.random, share);
  }

  async export(...more: readonly string[]): ReturnType<typeof exportDocroot> {
    return await exportDocroot(this.docroot, this.url, this.state, ...more);
  }

  async crawl(...more: readonly string[]): ReturnType<typeof crawl> {
    return await crawl(this.url, this.into, ...more);
  }

  /** Reads all that is published. See {@link readPublishedSet}. */
  async read(...earlier: readonly PublishedSet[]): Promise<PublishedSet> {
    return await readPublishedSet(this.url, this.random, earlier);
  }

  /** How the mirror differs from the pages. @param withheld - paths that are no pages */
  compareMirror(withheld: Iterable<string> = exported): string[] {
    return compareTrees(this.docroot, this.mirror, new Set(withheld));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    this.#temp[Symbol.dispose]();
  }
}
