import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { openObjects } from "../../src/storage/objects/open-objects.ts";
import { listenSite, type SiteServer } from "../site-server.ts";
import { describeObjectStore } from "../storage/objects/object-store-suite.ts";
import { makeTempFolder, type TempFolder } from "../temp-folder.ts";
import { type CommandResult, findCli, runTidemark, startTidemark } from "./command.ts";
import { listFiles } from "./file-tree.ts";
import { skipWithout, skipWithoutCached } from "./programs.ts";
import { createRandom } from "./random.ts";
import { S3Server, s3ServerName } from "./s3-server.ts";
import { mountSmallDisk, skipWithoutMount } from "./small-disk.ts";

const skip = skipWithoutCached(s3ServerName);
const pageCount = 200;

/** A site with links to all of its pages, some of which change with each edition. */
class Site implements AsyncDisposable {
  readonly server: SiteServer;
  edition = 0;

  private constructor(server: SiteServer) {
    this.server = server;
    server.answer = ({ url = "" }, response) => {
      const text = this.bodyOf(url);
      response.writeHead(text === undefined ? 410 : 200, { "content-type": "text/html" });
      // A visit lasts long enough to be stored in several parts.
      setTimeout(() => response.end(text), 20);
    };
  }

  static async open(): Promise<Site> {
    return new Site(await listenSite(() => undefined));
  }

  get paths(): string[] {
    return ["/", ...Array.from({ length: pageCount }, (_, at) => `/${at}.html`)].filter(
      (path) => this.bodyOf(path) !== undefined,
    );
  }

  bodyOf(path: string): string | undefined {
    if (path === "/") return Array.from({ length: pageCount }, (_, at) => `<a href="/${at}.html">${at}</a>`).join("\n");
    const number = Number(/^\/(\d+)\.html$/.exec(path)?.[1] ?? pageCount);
    if (number >= pageCount || (number % 17 === 3 && this.edition > 3)) return undefined;
    // Some have the same bytes as others, and a few are too large to be sent at once.
    const edition = number % 3 === 0 ? this.edition : 0;
    if (number % 50 === 7) return `${number} ${edition}\n`.repeat(800_000);
    return number % 10 === 1 ? `edition ${edition}` : `page ${number}, edition ${edition}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }
}

class Trial implements AsyncDisposable {
  readonly site: Site;
  readonly s3: S3Server;
  readonly #temp: TempFolder = makeTempFolder("objects");
  readonly into: string = join(this.#temp.path, "into");

  private constructor(site: Site, s3: S3Server) {
    this.site = site;
    this.s3 = s3;
  }

  static async open(folder?: string): Promise<Trial> {
    return new Trial(await Site.open(), await S3Server.open(folder));
  }

  get args(): string[] {
    const address = `s3://${this.s3.bucket}/web`;
    const url = `${this.site.server.origin}/`;
    return [
      ...["crawl", url, "--into", this.into, "--keep", "objects", "--objects", address],
      ...["--source", "links", "--concurrency", "4", "--json"],
    ];
  }

  start(more: Readonly<Record<string, string>> = {}) {
    return startTidemark(this.args, findCli(), { ...this.s3.env, ...more });
  }

  async run(more: Readonly<Record<string, string>> = {}): Promise<CommandResult> {
    return await this.start(more).result;
  }

  /** Compares what is kept with the site, and what the bucket has with what is kept. */
  async check(): Promise<void> {
    const { stdout } = await runTidemark(["changes", this.into, "--json"]);
    const lines = stdout.split("\n").filter((line) => line.includes('"object"'));
    const objects = new Map(
      lines.map((line) => {
        const { url, object } = JSON.parse(line) as { readonly url: string; readonly object: string };
        return [url.slice(this.site.server.origin.length), object];
      }),
    );
    assert.deepEqual([...objects.keys()].sort(), this.site.paths.sort());
    const folder = join(this.s3.folder, this.s3.bucket, "web");
    for (const [path, object] of objects) {
      const body = readFileSync(join(folder, object));
      assert.ok(body.equals(Buffer.from(this.site.bodyOf(path) ?? "")), `${path} has another body`);
      assert.ok(object.includes(createHash("sha256").update(body).digest("hex")), object);
    }
    const found = listFiles(folder).flatMap((path) => (path.includes("/bodies/") ? [path.slice(1)] : []));
    assert.deepEqual(found.sort(), [...new Set(objects.values())].sort());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.s3[Symbol.asyncDispose]();
    await this.site[Symbol.asyncDispose]();
    this.#temp[Symbol.dispose]();
  }
}

if (skip === false) {
  let server: S3Server;
  let count = 0;
  const kept = { ...process.env };
  before(async () => {
    server = await S3Server.open();
    Object.assign(process.env, server.env);
  });
  after(async () => {
    process.env = kept;
    await server[Symbol.asyncDispose]();
  });
  describeObjectStore("a server of S3", () => openObjects(`s3://${server.bucket}/suite/${count++}`));
}

describe("a crawl that keeps pages in S3", { skip }, () => {
  it("comes to the same however often it is killed, and the server with it", { timeout: 120_000 }, async () => {
    await using trial = await Trial.open();
    const random = createRandom(148);
    let killed = 0;
    for (let run = 0; run < 14; run++) {
      if (run % 2 === 0) trial.site.edition += 1;
      const { child, result } = trial.start();
      const goOn = async (requests: number): Promise<void> => {
        const until = trial.site.server.requests.length + random.below(requests);
        while (trial.site.server.requests.length < until && child.exitCode === null) await wait(5);
      };
      await goOn(170);
      if (run % 3 === 1) {
        await trial.s3.kill();
        await wait(random.below(300));
        await trial.s3.start();
      }
      if (run % 3 === 2) {
        trial.s3.freeze(true);
        await wait(random.below(500));
        trial.s3.freeze(false);
      }
      await goOn(30);
      child.kill("SIGKILL");
      if ((await result).signal === "SIGKILL") killed += 1;
    }
    assert.ok(killed > 3, `${killed} runs were killed`);
    // What the last visit replaced is removed by the next one.
    for (let visit = 0; visit < 2; visit++) {
      const { exitCode, stderr, stdout } = await trial.run();
      assert.equal(exitCode, 0, stderr + stdout);
    }
    await trial.check();
  });

  it("outlives a restart of the server", { timeout: 60_000 }, async () => {
    await using trial = await Trial.open();
    const { result } = trial.start();
    while (trial.site.server.requests.length < 20) await wait(10);
    await trial.s3.kill();
    await wait(2000);
    await trial.s3.start();
    const { exitCode, stderr } = await result;
    assert.equal(exitCode, 0, stderr);
    await trial.check();
  });

  it("says what is wrong with its credentials and its bucket, and asks the site nothing", async () => {
    await using trial = await Trial.open();
    const none = { AWS_ACCESS_KEY_ID: "", AWS_CONFIG_FILE: "/dev/null", AWS_SHARED_CREDENTIALS_FILE: "/dev/null" };
    const wrong: ReadonlyArray<readonly [Readonly<Record<string, string>>, string, RegExp]> = [
      [{ AWS_SECRET_ACCESS_KEY: "another" }, "no-permission", /does not know the credentials for s3:\/\/bodies\/web/],
      [{ AWS_ACCESS_KEY_ID: "another" }, "no-permission", /does not know the credentials for s3:\/\/bodies\/web/],
      [{ ...none, AWS_EC2_METADATA_DISABLED: "true" }, "no-permission", /no credentials for s3:\/\/bodies\/web/],
      [{ AWS_REGION: "eu-central-1" }, "bad-option", /s3:\/\/bodies\/web is in another region/],
    ];
    const failed = async (more: Readonly<Record<string, string>>, args = trial.args) => {
      const { events, exitCode } = await startTidemark(args, findCli(), { ...trial.s3.env, ...more }).result;
      assert.notEqual(exitCode, 0);
      return events.find(({ event }) => event === "error");
    };
    for (const [more, code, message] of wrong) {
      const error = await failed(more);
      assert.deepEqual([error?.code, message.test(String(error?.message))], [code, true], JSON.stringify(error));
    }
    const elsewhere = trial.args.map((arg) => arg.replace("s3://bodies", "s3://nothing"));
    const error = await failed({}, elsewhere);
    assert.deepEqual([error?.code, error?.message], ["not-found", "There is no bucket for s3://nothing/web."]);
    assert.deepEqual(trial.site.server.requests, []);
  });

  it("goes on when the disk of the server has room again", { skip: skipWithoutMount() }, async () => {
    using disk = mountSmallDisk(20_000);
    await using trial = await Trial.open(disk.path);
    disk.leave(1000);
    const { events, exitCode } = await trial.run();
    const error = events.find(({ event }) => event === "error");
    assert.deepEqual([error?.code, exitCode !== 0], ["disk-full", true], JSON.stringify(error));
    assert.match(String(error?.message), /no room at s3:\/\/bodies\/web/);
    disk.grow(100_000);
    for (let visit = 0; visit < 2; visit++) assert.equal((await trial.run()).exitCode, 0);
    await trial.check();
  });

  it("does not mind a clock that is an hour off", { skip: skipWithout("faketime") }, async () => {
    await using trial = await Trial.open();
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...trial.s3.env };
    const args = ["-f", "+1h", process.execPath, findCli(), ...trial.args];
    // The site is served by this process, which must go on.
    const [code] = await once(spawn("faketime", args, { env, stdio: "ignore" }), "exit");
    assert.equal(code, 0);
    await trial.check();
  });
});
