import type { OpenPackage, PackageDownload, Packages } from "../../../core/index.ts";
import { type FetchItem, ok, type Page, problem, type Result, TidemarkError } from "../../../core/index.ts";
import { robotsAllow } from "../../../formats/robots/index.ts";
import { maxSitemapBytes } from "../../../formats/sitemap/index.ts";
import { manifestName, PackageManifest, type PackedPage } from "../discovery/package-manifest.ts";
import {
  type ChangeTimes,
  type ChosenPackage,
  isShownAt,
  type PackageOffer,
  PackagePlan,
  type PackageSupply,
} from "../discovery/package-plan.ts";
import { describeOutcome, getPatiently } from "../politeness/patient-request.ts";
import { type CrawlVisit, isTimeUp } from "../visit/crawl-visit.ts";
import { isCancelled, warn } from "../visit/reading-visit.ts";
import { dueWork } from "./due-work.ts";
import { PageBody } from "./page-body.ts";
import { maxBytesOf } from "./page-request.ts";
import { PageResults } from "./page-results.ts";

// What earlier visits had trouble with is for the server to say.
function mayBePacked(visit: CrawlVisit, { page, postponed }: FetchItem): boolean {
  return postponed === undefined && robotsAllow(visit.robots, visit.agent, page.path);
}

/** Whether what is packed is the page that is due, as far as can be said without its bytes. */
function seemsToBe(page: Page, packed: PackedPage, offer: PackageOffer, times: ChangeTimes): boolean {
  if (page.sizeBytes !== undefined && packed.sizeBytes !== undefined && page.sizeBytes !== packed.sizeBytes)
    return false;
  if (page.digest !== undefined) return true;
  if (page.sizeBytes === undefined && packed.sizeBytes === undefined) return false;
  if (offer.of === "pages") return isShownAt(page, offer.until, times);
  const changedAt = times.byPath.get(page.path);
  return changedAt !== undefined && packed.changedAt !== undefined && packed.changedAt >= changedAt;
}

/** Keeps pages that are due from packages, so that they need no requests of their own. */
export class PackageWork {
  readonly #visit: CrawlVisit;
  readonly #packages: Packages;
  readonly #supply: PackageSupply;
  readonly #results: PageResults;

  constructor(visit: CrawlVisit, packages: Packages, supply: PackageSupply) {
    this.#visit = visit;
    this.#packages = packages;
    this.#supply = supply;
    this.#results = new PageResults(visit);
  }

  /** What does not verify, is missing or came too late in its package stays due. */
  async run(): Promise<void> {
    try {
      for (const chosen of await this.#choose()) {
        if (isCancelled(this.#visit) || isTimeUp(this.#visit)) break;
        await this.#use(chosen);
      }
    } finally {
      await this.#results.finish();
    }
  }

  async #choose(): Promise<readonly ChosenPackage[]> {
    const { offers, times } = this.#supply;
    const { ports, budget, tally } = this.#visit;
    const plan = new PackagePlan(offers, times);
    for (const item of this.#due()) {
      if (isCancelled(this.#visit)) return [];
      if (!mayBePacked(this.#visit, item)) continue;
      // What a killed visit kept needs no package.
      const adopted = ports.bodies.adopt(item.page);
      if (adopted === undefined) plan.note(item.page);
      else await this.#results.add(item, { kind: "adopted", ...adopted });
    }
    await this.#results.finish();
    return plan.choose(budget - tally.pageRequests, this.#packages.maxBytes);
  }

  #due(after?: string): Generator<FetchItem, void, void> {
    return dueWork<FetchItem>(this.#visit, "fetch", (item) => item.page.path, after);
  }

  async #use({ offer, maxBytes }: ChosenPackage): Promise<void> {
    using download = this.#packages.begin();
    const before = this.#visit.tally.packedPages;
    const fetched = await this.#fetch(offer, maxBytes, download);
    if (!fetched.ok) return this.#warn(offer, fetched.error.message);
    const opened = await download.open();
    const end = opened.ok ? await this.#empty(opened.value, offer) : opened;
    if (!end.ok) this.#warn(offer, end.error.message);
    else if (isCancelled(this.#visit)) return;
    else if (this.#visit.tally.packedPages === before) this.#warn(offer, "it holds nothing that is due");
    await this.#results.finish();
    this.#supply.onUsed(offer);
  }

  #warn({ path }: PackageOffer, message: string): void {
    warn(this.#visit, "package-unusable", `The package ${path} is skipped: ${message}.`);
  }

  async #fetch(offer: PackageOffer, maxBytes: number, download: PackageDownload): Promise<Result<undefined>> {
    const { path } = offer;
    if (!robotsAllow(this.#visit.robots, this.#visit.agent, path))
      return problem("disallowed", "robots.txt forbids it");
    try {
      const outcome = await getPatiently(
        this.#visit,
        "package",
        () => ({ path, maxBytes, maxRedirects: 5, sink: download }),
        // Pages are smaller: what is broken off costs less of them.
        () => false,
      );
      if (outcome.kind !== "fetched") return problem("no-package", describeOutcome(outcome));
      const { contentEncoding = "identity" } = outcome;
      return contentEncoding === "identity" ? ok(undefined) : problem("coded", `it is coded by ${contentEncoding}`);
    } catch (error) {
      // Pages may find room where a package does not; if they do not, they say so.
      if (error instanceof TidemarkError && error.code === "disk-full") return problem("disk-full", error.message);
      throw error;
    }
  }

  async #empty(opened: OpenPackage, offer: PackageOffer): Promise<Result<undefined>> {
    using entries = opened;
    const manifest = new PackageManifest(this.#supply.pathOf);
    const bounds = { maxBytes: maxSitemapBytes, hashes: [] };
    const read = await entries.read(manifestName, bounds, (piece) => manifest.write(piece));
    const pages = read.ok ? manifest.end() : read;
    if (!pages.ok) return pages;
    let first: string | undefined;
    let last = "";
    for (const path of pages.value.keys()) {
      if (first === undefined || path < first) first = path;
      if (path > last) last = path;
    }
    // Packages of all pages have them in their order: of what is due most lies outside.
    for (const item of this.#due(first?.slice(0, -1))) {
      const { path } = item.page;
      if (path > last || isCancelled(this.#visit)) break;
      const packed = pages.value.get(path);
      if (packed === undefined || !mayBePacked(this.#visit, item)) continue;
      if (seemsToBe(item.page, packed, offer, this.#supply.times)) await this.#keep(item, packed, entries);
    }
    return ok(undefined);
  }

  async #keep(item: FetchItem, packed: PackedPage, entries: OpenPackage): Promise<void> {
    const { ports, tally } = this.#visit;
    const { page } = item;
    using body = new PageBody(ports.bodies, ports.codec);
    using room = this.#visit.bounds.openPage(item.held?.sizeBytes);
    const maxBytes = packed.sizeBytes ?? maxBytesOf(this.#visit, page);
    if (maxBytes > maxBytesOf(this.#visit, page)) return;
    const read = await entries.read(packed.name, { maxBytes, hashes: packed.hashes }, (piece) => body.write(piece));
    if (!read.ok) return;
    const { sizeBytes } = body;
    const digest = body.digest();
    if (sizeBytes !== (packed.sizeBytes ?? sizeBytes) || sizeBytes !== (page.sizeBytes ?? sizeBytes)) return;
    if (digest !== (page.digest ?? digest)) return;
    // There is no room for it: asked for by itself, it is told so.
    if (room.take(sizeBytes) !== undefined) return;
    const kept = await ports.bodies.keep({ ...page, sizeBytes, digest }, body.content());
    tally.packedPages++;
    tally.askedAndHeld++;
    if (kept.ok) room.keep(sizeBytes);
    if (kept.ok) return await this.#results.add(item, { kind: "body", sizeBytes, digest, agrees: true });
    await this.#results.add(item, { kind: "trouble", trouble: "mirror", message: kept.error.message });
  }
}
