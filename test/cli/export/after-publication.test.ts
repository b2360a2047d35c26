import assert from "node:assert/strict";
import { on } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { exitCodes } from "../../../src/cli/terminal/exit-code.ts";
import { makeTempFolder, type TempFolder } from "../../temp-folder.ts";
import { type Ended, endOf, runProgram, startProgram } from "../run-program.ts";

/** A site with three pages. */
class Site implements Disposable {
  readonly folder: TempFolder = makeTempFolder();
  readonly docroot: string = join(this.folder.path, "site");
  readonly told: string = join(this.folder.path, "told");

  constructor() {
    mkdirSync(join(this.docroot, "docs"), { recursive: true });
    for (const name of ["a.html", "b.html", "docs/index.html"]) this.write(name, name);
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.docroot, name), text);
  }

  get args(): string[] {
    const state = join(this.folder.path, "state");
    return ["export", this.docroot, "--base-url", "https://a.example/", "--state", state];
  }

  async export(...more: string[]): Promise<Ended> {
    return await runProgram(...this.args, ...more);
  }

  /** What the command was told, and forgets it. */
  takeTold(): Array<Record<string, unknown>> {
    const lines = existsSync(this.told) ? readFileSync(this.told, "utf8").trim().split("\n") : [];
    rmSync(this.told, { force: true });
    return lines.map((line) => JSON.parse(line));
  }

  [Symbol.dispose](): void {
    this.folder[Symbol.dispose]();
  }
}

const urlsOf = (lines: Array<Record<string, unknown>>): unknown[] =>
  lines.filter(({ event }) => event === "change").map(({ change, url }) => `${change} ${url}`);

describe("tidemark export --on-publish", () => {
  it("tells a command each change and the summary, and nothing if nothing was published", async () => {
    using site = new Site();
    const hook = ["--on-publish", `cat > '${site.told}'; echo heard`];
    const first = await site.export(...hook);
    assert.deepEqual([first.code, first.stderr], [exitCodes.done, "heard\n"]);
    assert.equal(urlsOf(site.takeTold()).length, 3);
    await site.export(...hook);
    assert.deepEqual(site.takeTold(), []);
    site.write("a.html", "changed");
    rmSync(join(site.docroot, "b.html"));
    await site.export(...hook, "--dry-run");
    assert.deepEqual(site.takeTold(), []);
    const { stdout } = await site.export(...hook, "--json");
    const told = site.takeTold();
    assert.deepEqual(urlsOf(told), ["updated https://a.example/a.html", "deleted https://a.example/b.html"]);
    assert.deepEqual([told.length, told.at(-1)?.event, told.at(-1)?.updated], [3, "summary", 1]);
    const summary = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    assert.deepEqual([summary.event, summary.onPublish.exitCode, summary.onPublish.timedOut], ["summary", 0, false]);
  });

  it("publishes all the same where the command fails, hangs, or does not listen; the exit code says so", async () => {
    using site = new Site();
    const failed = await site.export("--on-publish", "exit 9", "--json");
    assert.equal(failed.code, exitCodes.itemsFailed);
    assert.match(failed.stdout, /"code":"on-publish","message":"All is published, .* exit code 9\."/);
    assert.match(failed.stdout, /"onPublish":\{"exitCode":9,/);
    site.write("a.html", "changed");
    // What it starts ends with it.
    const hung = await site.export("--on-publish", "sleep 1000 & wait", "--on-publish-timeout", "200ms");
    assert.equal(hung.code, exitCodes.itemsFailed);
    assert.match(hung.stderr, /ran longer than 0\.2 s/);
    site.write("a.html", "changed again");
    const patient = await site.export("--on-publish", "sleep 0.1", "--on-publish-timeout", "5w");
    assert.deepEqual([patient.code, patient.stderr], [exitCodes.done, ""]);
    for (let at = 0; at < 3000; at++) site.write(`page-${at}-${"x".repeat(60)}.html`, String(at));
    const many = await site.export("--on-publish", "cat > /dev/null");
    assert.deepEqual([many.code, many.stderr], [exitCodes.done, ""]);
    for (let at = 0; at < 3000; at++) site.write(`page-${at}-${"x".repeat(60)}.html`, `again ${at}`);
    const deaf = await site.export("--on-publish", "exec <&-; true");
    assert.deepEqual([deaf.code, deaf.stderr], [exitCodes.done, ""]);
    assert.match((await site.export()).stdout, /nothing changed/);
  });

  it("is run by a watch after each publication", { timeout: 60_000 }, async () => {
    using site = new Site();
    const child = startProgram([
      ...site.args,
      "--watch",
      "--settle",
      "50ms",
      "--json",
      "--on-publish",
      `cat >> '${site.told}'`,
    ]);
    const ended = endOf(child);
    assert.ok(child.stdout !== null);
    const lines = on(createInterface({ input: child.stdout }), "line");
    const nextRound = async (): Promise<Record<string, Record<string, unknown>>> => {
      for (;;) {
        const line = JSON.parse((await lines.next()).value[0]);
        if (line.event === "round") return line;
      }
    };
    assert.equal((await nextRound()).onPublish?.exitCode, 0);
    assert.equal(urlsOf(site.takeTold()).length, 3);
    site.write("a.html", "changed");
    while ((await nextRound()).published !== (true as unknown));
    assert.deepEqual(urlsOf(site.takeTold()), ["updated https://a.example/a.html"]);
    child.kill("SIGTERM");
    assert.equal((await ended).code, exitCodes.done);
  });
});

describe("tidemark export --purge", () => {
  it("prints changed URLs in all their forms, and results for people elsewhere", async () => {
    using site = new Site();
    await site.export();
    site.write("docs/index.html", "changed");
    rmSync(join(site.docroot, "b.html"));
    const { stdout, stderr } = await site.export("--purge", "urls");
    const urls = ["https://a.example/b.html", "https://a.example/docs/index.html", "https://a.example/docs/"];
    assert.deepEqual(stdout.trim().split("\n").sort(), urls.sort());
    assert.match(stderr, /1 updated, 1 deleted/);
  });

  it("writes bodies of calls to a file, which is empty if nothing was published", async () => {
    using site = new Site();
    for (let at = 0; at < 60; at++) site.write(`${at}.html`, String(at));
    const file = join(site.folder.path, "purge.json");
    const purge = ["--purge", "json", "--purge-file", file];
    const { stdout } = await site.export(...purge, "--json", "--index", "index.html", "--clean-urls");
    const calls: string[][] = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).files);
    assert.deepEqual(
      calls.map(({ length }) => length),
      [30, 30, 30, 30, 30, 30, 10],
    );
    const all = calls.flat();
    assert.equal(new Set(all).size, all.length);
    for (const path of ["docs/", "docs/index.html", "a", "a.html", ".well-known/tidemark/index.gz", "robots.txt"])
      assert.ok(all.includes(`https://a.example/${path}`), path);
    assert.equal(JSON.parse(stdout.trim().split("\n").at(-1) ?? "").purgeUrls, 190);
    await site.export(...purge, "--clean-urls");
    assert.equal(readFileSync(file, "utf8"), "");
    assert.deepEqual(readdirSync(site.folder.path).sort(), ["purge.json", "site", "state"]);
  });

  it("is written before the command runs; trouble with it is a warning", async () => {
    using site = new Site();
    const file = join(site.folder.path, "purge.txt");
    const hook = ["--on-publish", `wc -l < '${file}'`];
    const { stderr } = await site.export("--purge", "urls", "--purge-file", file, ...hook);
    assert.equal(stderr.trim(), "6");
    site.write("a.html", "changed");
    const failed = await site.export("--purge", "urls", "--purge-file", join(site.folder.path, "none", "purge.txt"));
    assert.equal(failed.code, exitCodes.itemsFailed);
    assert.match(failed.stderr, /All is published, but the changed URLs could not be listed/);
    assert.match(failed.stdout, /1 updated/);
  });

  it("refuses what would mix or lose lists", async () => {
    using site = new Site();
    for (const args of [
      ["--purge", "urls", "--json"],
      ["--purge-file", "x"],
      ["--on-publish-timeout", "1s"],
      ["--purge", "all"],
    ])
      assert.equal((await site.export(...args)).code, exitCodes.usage, args.join(" "));
    const config = join(site.folder.path, "sites.json");
    const sites = ["a", "b"].map((name) => ({ baseUrl: `https://${name}.example/`, docroot: "site" }));
    writeFileSync(config, JSON.stringify({ sites }));
    const { code, stderr } = await runProgram("export", "--config", config, "--purge", "urls", "--purge-file", "x");
    assert.equal(code, exitCodes.usage);
    assert.match(stderr, /of one site, and there are 2/);
  });
});
