import { existsSync, mkdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HostServer } from "../../../lab/hosts/host-server.ts";
import type { HostKind } from "../../../lab/hosts/virtual-host.ts";
import { makeHosts } from "../../../lab/hosts/virtual-hosts.ts";
import { createLabPorts } from "../../../lab/program/lab-ports.ts";
import { createRandom } from "../../../src/core/random.ts";
import type { Clock, EpochMs } from "../../../src/core/time.ts";
import { exportSite } from "../../../src/exporter/export-site.ts";
import { SitemapWriter } from "../../../src/formats/sitemap/sitemap.ts";
import { mirrorFolderOf, mirrorPathOf } from "../../../src/storage/mirror/mirror-path.ts";
import { goodHost, siteOfHost } from "./loopback-names.ts";
import type { HostRoot } from "./nginx-hosts.ts";

/** How many sites there are, and for how long they live. */
export interface WebSize {
  readonly seed: number;
  readonly sites: number;
  readonly start: EpochMs;
  readonly end: EpochMs;
}

/** A page of a living web. */
export interface LivingPage {
  readonly site: number;
  readonly kind: HostKind;
  readonly path: string;
  /** When each version came to be that was written, in the order of time. */
  readonly versions: { readonly version: number; readonly at: EpochMs }[];
  /** By the time of its file, in seconds, as servers tell it. @returns undefined if there never was such a version */
  versionOf(modified: number): number | undefined;
}

interface Site {
  readonly origin: string;
  readonly docroot: string;
  readonly stateDir: string;
  readonly kind: HostKind;
  readonly courses: HostServer["plan"]["pages"];
  readonly pages: readonly LivingPage[];
}

interface Moment {
  readonly at: EpochMs;
  readonly site: Site;
  /** Absent where the site publishes. */
  readonly page?: number;
}

const daySeconds = 86_400;
const publicationDays = [0.5, 1, 2];
const versionMark = /<!-- version (\d+) -->/;
const padding = "What a page says beside what changes. ".repeat(30);

/** Which version a file of a page holds; undefined if it is none. */
export function readPageVersion(text: string): number | undefined {
  const digits = versionMark.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function fileOf(docroot: string, path: string): string {
  return join(docroot, path === "/" ? "index.html" : path);
}

function writeFile(file: string, text: string | Uint8Array, seconds: number): void {
  const temporary = join(file, `../.${seconds}.tmp`);
  writeFileSync(temporary, text);
  utimesSync(temporary, seconds, seconds);
  renameSync(temporary, file);
}

/**
 * Sites of real files that change by a Poisson process each page: a third is exported now and then by the exporter, a third has a
 * sitemap that is always right, a third nothing but links.
 */
export class LivingWeb {
  readonly #sites: readonly Site[];
  readonly #moments: readonly Moment[];
  readonly #clock: Clock;
  #next = 0;
  #exports = 0;
  /** How long after its time the last publication was made at most. */
  mostLateMs = 0;

  /** @param port - of all sites */
  constructor({ seed, sites, start, end }: WebSize, means: { folder: string; port: number; clock: Clock }) {
    const { folder, port, clock } = means;
    const from = start / 1000;
    const to = end / 1000;
    const origins = Array.from({ length: sites }, (_, site) => `http://${goodHost(site)}:${port}`);
    const hosts = makeHosts(
      {
        ...{ seed, origins, from, to, publicationSeconds: publicationDays.map((days) => days * daySeconds) },
        ...{ leastMeanSeconds: daySeconds, mostMeanSeconds: 60 * daySeconds, leastPages: 4, mostPages: 8 },
        ...{ troubleShare: 0, troubleSeconds: 0, retryAfterSeconds: 0 },
      },
      createLabPorts(folder),
    );
    this.#clock = clock;
    this.#sites = [...hosts.values()].map(({ plan }, site) => makeSite(plan, site, folder));
    this.#moments = this.#sites.flatMap((site) => planMoments(site, seed, start, end)).sort((a, b) => a.at - b.at);
    for (const site of this.#sites) this.#found(site, start);
  }

  get roots(): readonly HostRoot[] {
    return this.#sites.map(({ origin, docroot }) => ({ host: new URL(origin).hostname, docroot }));
  }

  get origins(): readonly string[] {
    return this.#sites.map(({ origin }) => origin);
  }

  *pages(): Generator<LivingPage, void, void> {
    for (const { pages } of this.#sites) yield* pages;
  }

  /** The page that a server of ours was asked for; undefined if it was none. */
  find(host: string, path: string): LivingPage | undefined {
    return this.#sites[siteOfHost(host) ?? -1]?.pages.find((page) => page.path === path);
  }

  kindOf(host: string): HostKind | undefined {
    return this.#sites[siteOfHost(host) ?? -1]?.kind;
  }

  /** The file that is served for a page. */
  fileOf({ site, path }: LivingPage): string {
    return fileOf(this.#sites[site]?.docroot ?? "", path);
  }

  originOf({ site }: LivingPage): string {
    return this.#sites[site]?.origin ?? "";
  }

  get publications(): number {
    return this.#exports;
  }

  /** Publishes the sites with archives for the first time. */
  async open(): Promise<void> {
    for (const site of this.#sites) if (site.kind === "archives") await this.#publish(site);
  }

  /** Lets happen what is due by now, in its order. */
  async catchUp(signal: AbortSignal): Promise<void> {
    for (;;) {
      const moment = this.#moments[this.#next];
      if (moment === undefined || moment.at > this.#clock() || signal.aborted) return;
      this.#next++;
      const { site, page, at } = moment;
      if (page !== undefined) this.#change(site, page, at);
      else {
        this.mostLateMs = Math.max(this.mostLateMs, this.#clock() - at);
        await this.#publish(site);
      }
    }
  }

  #found(site: Site, start: EpochMs): void {
    mkdirSync(site.docroot, { recursive: true });
    for (const page of site.pages.keys()) this.#change(site, page, start);
    if (site.kind !== "sitemap") return;
    writeFile(join(site.docroot, "robots.txt"), `User-agent: *\nAllow: /\n\nSitemap: ${site.origin}/sitemap.xml\n`, 1);
  }

  #change(site: Site, number: number, at: EpochMs): void {
    const [page, course] = [site.pages[number], site.courses[number]];
    if (page === undefined || course === undefined) throw new TypeError("a page is missing");
    const version = course.versionAt(at);
    const links = page.path === "/" ? site.pages.map(({ path }) => `<li><a href="${path}">${path}</a>`).join("") : "";
    const text = `<!doctype html><title>${page.path}</title><p>${padding}<ul>${links}</ul><!-- version ${version} -->\n`;
    writeFile(fileOf(site.docroot, page.path), text, course.beginOf(version));
    page.versions.push({ version, at: this.#clock() });
    if (site.kind === "sitemap") this.#writeSitemap(site, at);
  }

  #writeSitemap({ origin, docroot, courses }: Site, at: EpochMs): void {
    const writer = new SitemapWriter("urlset", origin);
    const times = courses.map((course) => course.beginOf(course.versionAt(at)));
    for (const [number, { path }] of courses.entries()) writer.add(path, times[number] ?? 0);
    writeFile(join(docroot, "sitemap.xml"), writer.end() ?? new Uint8Array(), Math.floor(at / 1000));
  }

  async #publish({ origin, docroot, stateDir }: Site): Promise<void> {
    await exportSite({ docroot, baseUrl: `${origin}/`, stateDir, index: ["index.html"], clock: this.#clock });
    this.#exports++;
  }
}

function makeSite({ origin, kind, pages: courses }: HostServer["plan"], site: number, folder: string): Site {
  const pages = courses.map((course): LivingPage => {
    const versionOf = (modified: number): number | undefined => {
      const version = course.versionAt(modified * 1000);
      return course.beginOf(version) === modified ? version : undefined;
    };
    return { site, kind, path: course.path, versions: [], versionOf };
  });
  const [docroot, stateDir] = [join(folder, `sites/${site}`), join(folder, `states/${site}`)];
  return { origin, docroot, stateDir, kind, courses, pages };
}

function planMoments(site: Site, seed: number, start: EpochMs, end: EpochMs): Moment[] {
  const moments: Moment[] = [];
  for (const [page, course] of site.courses.entries())
    for (let version = course.versionAt(start) + 1; course.beginOf(version) * 1000 <= end; version++)
      moments.push({ at: course.beginOf(version) * 1000, site, page });
  if (site.kind !== "archives") return moments;
  const random = createRandom(seed, "publications", site.origin);
  const everyMs = (publicationDays[Math.floor(random() * publicationDays.length)] ?? 1) * daySeconds * 1000;
  for (let at = start + random() * everyMs; at <= end; at += everyMs) moments.push({ at, site });
  return moments;
}

/** The version of a page that lies in a mirror; undefined if none does. */
export function mirroredVersion(into: string, web: LivingWeb, page: LivingPage): number | undefined {
  const file = join(into, mirrorFolderOf(web.originOf(page)), mirrorPathOf(page.path, false));
  return existsSync(file) ? readPageVersion(readFileSync(file, "utf8")) : undefined;
}

/** Compares files of a mirror with those that are served, now and then: what is held, whatever logs say. */
export class MirrorLooks {
  readonly #into: string;
  readonly #web: LivingWeb;
  #looks = 0;
  #fresh = 0;

  constructor(into: string, web: LivingWeb) {
    this.#into = into;
    this.#web = web;
  }

  look(page: LivingPage): void {
    this.#looks++;
    const served = readPageVersion(readFileSync(this.#web.fileOf(page), "utf8"));
    if (mirroredVersion(this.#into, this.#web, page) === served) this.#fresh++;
  }

  get looks(): number {
    return this.#looks;
  }

  get freshness(): number {
    return this.#fresh / this.#looks;
  }
}
