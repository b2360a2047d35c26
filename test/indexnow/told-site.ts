import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { IndexNowEvent, IndexNowSummary } from "../../src/core/index-now-event.ts";
import { type TellIndexNowOptions, tellIndexNow } from "../../src/indexnow/index.ts";
import { type FolderServer, serveFolder } from "../../src/server/folder-server.ts";
import { type Run, TestSite } from "../exporter/publish/test-site.ts";
import { IndexNowServer } from "./index-now-server.ts";

/** What telling came to. */
export interface Telling {
  readonly summary: IndexNowSummary;
  readonly events: readonly IndexNowEvent[];
}

/** A site that is exported and served, and a search engine that is told of it; time is virtual. */
export class ToldSite implements AsyncDisposable {
  readonly site: TestSite;
  readonly engine: IndexNowServer;
  readonly #server: FolderServer;
  /** Waits that were asked for. */
  readonly delaysMs: number[] = [];

  private constructor(site: TestSite, server: FolderServer, engine: IndexNowServer) {
    this.site = site;
    this.#server = server;
    this.engine = engine;
  }

  static async open(): Promise<ToldSite> {
    const site = new TestSite();
    const server = await serveFolder({ folder: site.docroot });
    return new ToldSite(site, server, await IndexNowServer.open());
  }

  get origin(): string {
    return this.#server.url;
  }

  get folder(): string {
    return join(this.site.stateDir, "index-now");
  }

  /** Writes pages, or removes them where the content is undefined, and exports. */
  async publish(pages: Readonly<Record<string, string | undefined>>): Promise<Run> {
    for (const [name, content] of Object.entries(pages)) {
      if (content === undefined) this.site.remove(name);
      else this.site.write(name, content, Math.floor(this.site.nowMs / 1000));
    }
    return await this.site.export({ baseUrl: `${this.origin}/` });
  }

  get options(): TellIndexNowOptions {
    return {
      docroot: this.site.docroot,
      baseUrl: `${this.origin}/`,
      stateDir: this.site.stateDir,
      endpoint: this.engine.url,
      clock: () => this.site.nowMs,
      random: () => 0.5,
      delay: async (delayMs) => {
        this.delaysMs.push(delayMs);
        this.site.nowMs += delayMs;
      },
    };
  }

  async tell(options: Partial<TellIndexNowOptions> = {}): Promise<Telling> {
    const events: IndexNowEvent[] = [];
    const onEvent = (event: IndexNowEvent): void => {
      events.push(event);
      options.onEvent?.(event);
    };
    return { summary: await tellIndexNow({ ...this.options, ...options, onEvent }), events };
  }

  /** A copy of what the teller remembers, as a kill at this instant would leave it. */
  keep(): { readonly restore: () => void } {
    const copy = join(this.site.folder, `copy-${readdirSync(this.site.folder).length}`);
    cpSync(this.folder, copy, { recursive: true });
    // The lock of a process that was killed is taken over; this one lives.
    rmSync(join(copy, "lock"));
    return {
      restore: () => {
        rmSync(this.folder, { recursive: true });
        cpSync(copy, this.folder, { recursive: true });
      },
    };
  }

  /** Names of what the teller remembers that begin with a word. */
  remembered(word: string): string[] {
    return readdirSync(this.folder).filter((name) => name.startsWith(word));
  }

  /** Changes a byte of a file that the teller remembers. */
  spoil(name: string, change: (text: string) => string): void {
    const path = join(this.folder, name);
    writeFileSync(path, change(readFileSync(path, "latin1")), "latin1");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine[Symbol.asyncDispose]();
    await this.#server.close();
    this.site[Symbol.dispose]();
  }
}

/** The steps of the events, warnings by their code. */
export function stepsOf({ events }: Telling): string[] {
  return events.map((event) => (event.event === "warning" ? event.code : event.step));
}
