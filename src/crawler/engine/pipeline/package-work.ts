import type { OpenPackage, PackageDownload, Packages } from "../../../core/index.ts";
import { ok, type Page, problem, type Result, TidemarkError, type TrackedUrl } from "../../../core/index.ts";
import { robotsAllow } from "../../../formats/robots/index.ts";
import { maxSitemapBytes } from "../../../formats/sitemap/index.ts";
import { type CrawlVisit, isTimeUp } from "../discovery/crawl-visit.ts";
import { manifestName, PackageManifest, type PackedPage } from "../discovery/package-manifest.ts";
import {
  type ChangeTimes,
  type ChosenPackage,
  isShownAt,
  type PackageOffer,
  PackagePlan,
  type PackageSupply,
} from "../discovery/package-plan.ts";
import { pathOfUrl } from "../discovery/url-scope.ts";
import { describeOutcome, getPatiently } from "../politeness/patient-request.ts";
import { isCancelled, warn } from "../visit/reading-visit.ts";
import { readUrls } from "./due-urls.ts";
import { PageBody } from "./page-body.ts";
import { maxBytesOf } from "./page-request.ts";
import type { PageResults } from "./page-results.ts";
import { usageOfUnasked } from "./page-usage.ts";

// What earlier visits had trouble with is for the server to say.
function mayBePacked(visit: CrawlVisit, { path, postponed }: TrackedUrl): boolean {
  return postponed === undefined && robotsAllow(visit.robots, visit.agent, path);
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

  constructor(visit: CrawlVisit, results: PageResults, packages: Packages, supply: PackageSupply) {
    this.#visit = visit;
    this.#packages = packages;
    this.#supply = supply;
    this.#results = results;
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
    for (const { url, page } of this.#due()) {
      if (isCancelled(this.#visit)) return [];
      if (!mayBePacked(this.#visit, url)) continue;
      // What a killed visit kept needs no package.
      const adopted = ports.bodies.adopt(page);
      if (adopted === undefined) plan.note(page);
      else {
        const usage = usageOfUnasked(this.#visit, url);
        await this.#results.add(url, { kind: "adopted", page: { ...page, ...adopted }, usage }, false);
      }
    }
    await this.#results.finish();
    return plan.choose(budget - tally.pageRequests, this.#packages.maxBytes);
  }

  *#due(behind?: string): Generator<{ readonly url: TrackedUrl; readonly page: Page }, void, void> {
    for (const url of readUrls(this.#visit, "announced", behind))
      if (url.announced !== undefined) yield { url, page: url.announced };
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
    const allows = (asked: string): boolean => robotsAllow(this.#visit.robots, this.#visit.agent, asked);
    if (!allows(path)) return problem("disallowed", "robots.txt forbids it");
    try {
      const outcome = await getPatiently(
        this.#visit,
        "package",
        () => ({ path, maxBytes, maxRedirects: 5, mayFollow: (to) => allows(pathOfUrl(to)), sink: download }),
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
    for (const { url, page } of this.#due(first?.slice(0, -1))) {
      if (page.path > last || isCancelled(this.#visit)) break;
      const packed = pages.value.get(page.path);
      if (packed === undefined || !mayBePacked(this.#visit, url)) continue;
      if (seemsToBe(page, packed, offer, this.#supply.times)) await this.#keep(url, page, packed, entries);
    }
    return ok(undefined);
  }

  async #keep(url: TrackedUrl, page: Page, packed: PackedPage, entries: OpenPackage): Promise<void> {
    const { ports, tally } = this.#visit;
    using body = new PageBody(ports.bodies, ports.codec);
    using room = this.#visit.bounds.openPage(url.held?.sizeBytes);
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
    const packedPage = { ...page, sizeBytes, digest };
    const kept = await ports.bodies.keep(packedPage, body.content());
    tally.packedPages++;
    if (!kept.ok)
      return await this.#results.add(url, { kind: "trouble", trouble: "mirror", message: kept.error.message }, true);
    room.keep(sizeBytes);
    const finding = {
      kind: "body",
      page: packedPage,
      digest,
      agrees: true,
      validators: {},
      isInsignificant: false,
      usage: usageOfUnasked(this.#visit, url),
    } as const;
    await this.#results.add(url, finding, true);
  }
}
