import { cpSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ExportEvent, ExportSummary } from "../../../src/core/export-event.ts";
import type { ExportSiteOptions } from "../../../src/exporter/export-settings.ts";
import { exportSite } from "../../../src/exporter/export-site.ts";
import { makeTempFolder, type TempFolder } from "../../temp-folder.ts";

/** A site that is built in a fresh folder each time, and the folder that it is deployed to. */
export class CleanBuilds implements Disposable {
  readonly #folder: TempFolder = makeTempFolder();
  readonly served: string = join(this.#folder.path, "served");
  /** The last build's document root. */
  dist: string = this.served;
  /** An hour after the files are written, so that none is racy. */
  nowMs: number = Date.now() + 3_600_000;
  #builds = 0;

  constructor() {
    mkdirSync(this.served);
  }

  get folder(): string {
    return this.#folder.path;
  }

  /** Writes all pages to a fresh folder, all with the time of the build, and exports it there with a fresh state. */
  async build(
    baseUrl: string,
    pages: Readonly<Record<string, string>>,
    options: Partial<ExportSiteOptions> = {},
  ): Promise<{ readonly summary: ExportSummary; readonly events: readonly ExportEvent[] }> {
    this.prepare(pages);
    return await this.export(baseUrl, options);
  }

  /** Writes all pages to a fresh folder. */
  prepare(pages: Readonly<Record<string, string>>): void {
    this.#builds += 1;
    this.nowMs += 86_400_000;
    this.dist = join(this.#folder.path, `dist-${this.#builds}`);
    mkdirSync(this.dist);
    for (const [name, content] of Object.entries(pages)) {
      const path = join(this.dist, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      const seconds = this.nowMs / 1000 - 3600;
      utimesSync(path, seconds, seconds);
    }
  }

  async export(
    baseUrl: string,
    options: Partial<ExportSiteOptions> = {},
  ): Promise<{ readonly summary: ExportSummary; readonly events: readonly ExportEvent[] }> {
    const events: ExportEvent[] = [];
    const summary = await exportSite({
      docroot: this.dist,
      baseUrl,
      stateDir: this.stateDir,
      previous: baseUrl,
      clock: () => this.nowMs,
      onEvent: (event) => events.push(event),
      ...options,
    });
    return { summary, events };
  }

  get stateDir(): string {
    return join(this.#folder.path, `state-${this.#builds}`);
  }

  /** Replaces what is served by the last build. */
  deploy(): void {
    rmSync(this.served, { recursive: true });
    cpSync(this.dist, this.served, { recursive: true, preserveTimestamps: true });
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}
