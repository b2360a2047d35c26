import { Crawler } from "./site-visit.ts";

/** The day of a visit. */
export const dayOf = (crawler: Crawler): string => new Date(crawler.now).toISOString().slice(0, 19);

/** A site whose ResourceSync has a resource list and a change list, neither with hashes. */
export class ListedSite implements AsyncDisposable {
  readonly crawler: Crawler;

  constructor(crawler: Crawler) {
    this.crawler = crawler;
  }

  static async open(): Promise<ListedSite> {
    const site = new ListedSite(await Crawler.open());
    site.crawler.site.set({ "/": `<a href="/a.html">a</a>`, "/a.html": "a" });
    site.#write(
      "/.well-known/resourcesync",
      `capability="description"`,
      site.#entry("/caps.xml", `<rs:md capability="capabilitylist"/>`),
    );
    site.#write(
      "/caps.xml",
      `capability="capabilitylist"`,
      site.#entry("/list.xml", `<rs:md capability="resourcelist"/>`) +
        site.#entry("/changes.xml", `<rs:md capability="changelist"/>`),
    );
    site.listAll();
    site.listChanges({});
    return site;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.crawler[Symbol.asyncDispose]();
  }

  listAll(): void {
    const at = dayOf(this.crawler);
    const entries = [...this.crawler.site.pages.keys()].map((path) => this.#entry(path, `<lastmod>${at}Z</lastmod>`));
    this.#write("/list.xml", `capability="resourcelist" at="${at}Z"`, entries.join(""));
  }

  /** Lists one change, in a list that lacks what is named. */
  listChanges({
    lacks = "",
    of = "/a.html",
    as = "updated",
    from = "2026-01-01T00:00:00Z",
  }: {
    readonly lacks?: "from" | "datetime" | "";
    readonly of?: string;
    readonly as?: "created" | "updated";
    readonly from?: string;
  }): void {
    const datetime = lacks === "datetime" ? "" : ` datetime="${dayOf(this.crawler)}Z"`;
    const since = lacks === "from" ? "" : ` from="${from}"`;
    this.#write(
      "/changes.xml",
      `capability="changelist"${since}`,
      this.#entry(of, `<rs:md change="${as}"${datetime}/>`),
    );
  }

  /** The change list, as it is served. */
  get changes(): Buffer {
    return this.crawler.site.files.get("/changes.xml") ?? Buffer.alloc(0);
  }

  set changes(content: Buffer) {
    this.crawler.site.files.set("/changes.xml", content);
  }

  /** Answers requests for the change list with a status. */
  answerChanges(status: number): void {
    this.crawler.site.answers.set("/changes.xml", (_, response) => response.writeHead(status).end());
  }

  #entry(path: string, rest: string): string {
    return `<url><loc>${this.crawler.site.origin}${path}</loc>${rest}</url>`;
  }

  #write(path: string, header: string, entries: string): void {
    const names = `xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/"`;
    this.crawler.site.files.set(path, Buffer.from(`<urlset ${names}><rs:md ${header}/>${entries}</urlset>`));
  }
}
