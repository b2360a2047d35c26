import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { EpochMs } from "../core/index.ts";
import type { DemoPage, SiteRound } from "./site-plan.ts";
import { renderPage, type Templates } from "./site-text.ts";

export interface FileState {
  readonly page: DemoPage;
  readonly revision: number;
  readonly body: Buffer;
}

const dayMs = 86_400_000;
const yearMs = 365 * dayMs;

export class SiteFolder {
  readonly folder: string;
  readonly #templates: Templates;
  readonly #files = new Map<string, FileState>();
  readonly #folders = new Set<string>();

  constructor(folder: string, templates: Templates) {
    this.folder = folder;
    this.#templates = templates;
  }

  /** URL paths of all pages, in the order in which they came to be. */
  get urlPaths(): string[] {
    return [...this.#files.keys()].map(urlPathOf);
  }

  /** Writes a new site, each page with a time of its own in the year before `now`. */
  create(pages: readonly DemoPage[], now: EpochMs): void {
    for (const page of pages) this.#revise(page, 1, now - dayMs - (page.seed % 300) * dayMs);
  }

  /** Applies a round: restored pages get times of years ago, other changed and new ones that of `now`. */
  apply(round: SiteRound, now: EpochMs): void {
    for (const page of round.vanished) {
      rmSync(join(this.folder, page.path));
      this.#files.delete(page.path);
    }
    for (const page of round.appeared) this.#revise(page, 1, now);
    for (const page of round.changed) {
      const revision = 1 + (this.#files.get(page.path)?.revision ?? 0);
      this.#revise(page, revision, round.restored.includes(page) ? now - 3 * yearMs : now);
    }
  }

  /** Rewrites every page but `except` with the bytes it has, as a deployment of the whole site does. */
  redeploy(except: readonly DemoPage[], now: EpochMs): void {
    const kept = new Set(except.map((page) => page.path));
    for (const [path, state] of this.#files) if (!kept.has(path)) this.#write(state, now);
  }

  #revise(page: DemoPage, revision: number, modifiedAt: EpochMs): void {
    this.#write({ page, revision, body: renderPage(page, revision, this.#templates) }, modifiedAt);
  }

  #write(state: FileState, modifiedAt: EpochMs): void {
    const file = join(this.folder, state.page.path);
    const folder = dirname(file);
    if (!this.#folders.has(folder)) mkdirSync(folder, { recursive: true });
    this.#folders.add(folder);
    writeFileSync(file, state.body);
    utimesSync(file, modifiedAt / 1000, modifiedAt / 1000);
    this.#files.set(state.page.path, state);
  }
}

function urlPathOf(path: string): string {
  return `/${path.split("/").map(encodeURIComponent).join("/")}`;
}
