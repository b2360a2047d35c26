import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathOf } from "../../src/core/index.ts";
import { readPublication } from "../../src/exporter/publish/publication-changes.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder, type TempFolder } from "../temp-folder.ts";
import { findCli } from "./command.ts";
import { readDocumentCode } from "./document-code.ts";
import { listFiles } from "./file-tree.ts";
import { findCached, requireCached } from "./programs.ts";
import { startWebServer, type WebServer } from "./web-server.ts";

/** The generators that docs/builders.md has lines for. */
export const builders = ["hugo", "eleventy", "astro", "jekyll", "mkdocs"] as const;

/** One of {@link builders}. */
export type Builder = (typeof builders)[number];

/** Folder of pages that each of them writes. */
const outputs: Readonly<Record<Builder, string>> = {
  hugo: "public",
  eleventy: "_site",
  astro: "dist",
  jekyll: "_site",
  mkdocs: "site",
};

/** What an export and a server add, and what is no page of the site. */
export const noPages: ReadonlySet<string> = new Set(["/.well-known", "/robots.txt", "/404.html"]);

/** Where a site is published. */
export interface PublishedPlace {
  /** Base URL of the site, with `/` at the end. */
  readonly url: string;
  /** The document whose lines upload a folder, and the name of their block. */
  readonly upload: readonly [document: string, block: string];
  /** What those lines need. */
  readonly env?: NodeJS.ProcessEnv;
}

/** How a shell ended. */
export interface ShellResult {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a script by bash, without blocking: a server of this process may be asked meanwhile. */
export async function runBash(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<ShellResult> {
  const child = spawn("bash", args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      output += chunk;
    });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

/**
 * A small site of one generator on a real server, or at another place. Each build is one of a machine that knows nothing of the last: only the
 * source, as a commit, and the served site are there.
 */
export class BuiltSite implements AsyncDisposable {
  readonly builder: Builder;
  readonly served: string;
  readonly #place: PublishedPlace;
  readonly #server: WebServer | undefined;
  readonly #temp: TempFolder;
  readonly #source: string;
  readonly #bin: string;
  #machines = 0;

  private constructor(builder: Builder, temp: TempFolder, place: PublishedPlace, server?: WebServer) {
    this.builder = builder;
    this.#place = place;
    this.#server = server;
    this.#temp = temp;
    this.served = join(temp.path, "served");
    this.#source = join(temp.path, "source");
    this.#bin = join(temp.path, "bin");
  }

  /** @param elsewhere - default: a server of its own over {@link served} */
  static async open(builder: Builder, elsewhere?: PublishedPlace): Promise<BuiltSite> {
    const temp = makeTempFolder(builder);
    for (const name of ["served", "bin"]) mkdirSync(join(temp.path, name));
    // As nearly every static host: unknown pages get the site's own page for that.
    const snippet = "error_page 404 /404.html;";
    const served = join(temp.path, "served");
    const server = elsewhere === undefined ? await startWebServer("nginx", served, { snippet }) : undefined;
    const place = elsewhere ?? { url: server?.url ?? "", upload: ["docs/builders.md", "sh upload"] };
    const site = new BuiltSite(builder, temp, place, server);
    cpSync(join(repositoryFolder(), "test", "interop", "builders", builder), site.#source, { recursive: true });
    for (const path of listFiles(site.#source)) {
      const text = readFileSync(join(site.#source, path), "utf8");
      if (text.includes("https://example.org")) writeFileSync(join(site.#source, path), site.localize(text));
    }
    for (const name of ["hugo", "mkdocs"]) {
      const folder = findCached(`${name}-1`);
      if (folder !== undefined) symlinkSync(join(folder, "bin", name), join(site.#bin, name));
    }
    site.addProgram("tidemark", `exec "${process.execPath}" "${findCli()}" "$@"`);
    return site;
  }

  get url(): string {
    return this.#place.url;
  }

  get folder(): string {
    return this.#temp.path;
  }

  /** A text of the documents, with this site for the one of the example. */
  localize(text: string): string {
    return text
      .replaceAll("www@example.org:/var/www/html/", `${this.served}/`)
      .replaceAll(/https:\/\/example\.org|http:\/\/127\.0\.0\.1:6081/g, this.url.slice(0, -1))
      .replaceAll("Host: example.org", `Host: ${new URL(this.url).host}`);
  }

  /** A program by that name for the shells of this site. */
  addProgram(name: string, script: string): void {
    writeFileSync(join(this.#bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(this.#bin, name), 0o755);
  }

  /** Replaces a text that is in exactly one file of the source. */
  edit(from: string, to: string, name = "one"): void {
    const paths = listFiles(this.#source).filter((path) => path.includes(name));
    assert.equal(paths.length, 1, paths.join());
    const file = join(this.#source, paths[0] ?? "");
    const text = readFileSync(file, "utf8");
    assert.ok(text.includes(from), file);
    writeFileSync(file, text.replaceAll(from, to));
  }

  /** Writes a file of the source, or removes it. */
  write(path: string, text: string | undefined): void {
    if (text === undefined) rmSync(join(this.#source, path));
    else writeFileSync(join(this.#source, path), text);
  }

  /** A fresh clone, and what a shell there has for its environment. */
  async startMachine(): Promise<{ readonly folder: string; readonly env: NodeJS.ProcessEnv }> {
    this.#machines += 1;
    const home = join(this.#temp.path, `machine-${this.#machines}`);
    const folder = join(home, "site");
    cpSync(this.#source, folder, { recursive: true });
    if (this.builder === "eleventy" || this.builder === "astro")
      symlinkSync(join(requireCached(`${this.builder}-1`), "node_modules"), join(folder, "node_modules"));
    const node = join(requireCached("node-24"), "node_modules", "node", "bin");
    const env = {
      PATH: [this.#bin, node, process.env.PATH].join(":"),
      HOME: home,
      NO_COLOR: "1",
      ASTRO_TELEMETRY_DISABLED: "1",
      npm_config_offline: "true",
      npm_config_update_notifier: "false",
      ...this.#place.env,
    };
    writeFileSync(join(folder, "upload.sh"), this.localize(readDocumentCode(...this.#place.upload)), { mode: 0o755 });
    // A commit's time is its content's: two machines build the same one.
    const author = "-c user.name=a -c user.email=a@a.example -c init.defaultBranch=main";
    const commit = `git ${author} init -q && git ${author} add . && git ${author} commit -qm site`;
    const date = `2026-04-0${this.#commits()}T12:00:00Z`;
    const made = await runBash(["-c", commit], folder, { ...env, GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date });
    assert.equal(made.code, 0, made.output);
    return { folder, env };
  }

  readonly #contents: string[] = [];

  #commits(): number {
    const content = listFiles(this.#source)
      .sort()
      .map((path) => readFileSync(join(this.#source, path), "utf8"))
      .join();
    if (!this.#contents.includes(content)) this.#contents.push(content);
    return this.#contents.indexOf(content) + 1;
  }

  /**
   * Runs the lines of docs/builders.md on a new machine.
   *
   * @param more - further options of the export
   * @param warning - what it must warn of; default: nothing
   * @param after - lines that are run afterwards
   * @returns the folder that was built, and what was said
   */
  async publish(more = "", warning?: RegExp, after = ""): Promise<{ readonly built: string; readonly output: string }> {
    const { folder, env } = await this.startMachine();
    const lines = this.localize(readDocumentCode("docs/builders.md", `sh ${this.builder}`));
    assert.doesNotMatch(lines, /example\.org/);
    const script = lines.replace(/^(tidemark export .*)$/m, `$1 ${more}`) + this.localize(after);
    const { code, output } = await runBash(["-e", "-c", script], folder, env);
    assert.equal(code, 0, output);
    const warnings = output.match(/^warning: .*$/gm) ?? [];
    if (warning === undefined) assert.deepEqual(warnings, []);
    else assert.ok(warnings.length === 1 && warning.test(warnings.join()), output);
    return { built: join(folder, outputs[this.builder]), output };
  }

  /** What the newest publication of a folder announces, as lines of a change and a path; default: of what is served. */
  async readAnnounced(documentRoot: string = this.served): Promise<string[]> {
    const lines: string[] = [];
    for await (const change of readPublication({ documentRoot })) lines.push(`${change.kind} ${pathOf(change)}`);
    return lines.sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
    this.#temp[Symbol.dispose]();
  }
}

const urlPathOf = (path: string): string => path.replace(/\/index\.html$/, "/");

/** How two built folders differ byte for byte, as {@link BuiltSite.readAnnounced} says it. */
export function compareBuilds(before: string | undefined, after: string): string[] {
  const lines: string[] = [];
  const earlier = new Set(before === undefined ? [] : listFiles(before, noPages));
  for (const path of listFiles(after, noPages)) {
    const isOld = earlier.delete(path);
    if (!isOld) lines.push(`created ${urlPathOf(path)}`);
    else if (!readFileSync(join(before ?? "", path)).equals(readFileSync(join(after, path))))
      lines.push(`updated ${urlPathOf(path)}`);
  }
  for (const path of earlier) lines.push(`deleted ${urlPathOf(path)}`);
  return lines.sort();
}
