import assert from "node:assert/strict";
import { on } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { type Host, main } from "../../../src/cli/main.ts";
import { exitCodes } from "../../../src/cli/terminal/exit-code.ts";
import { writeFollowStatus } from "../../../src/crawler/follow/follow-status.ts";
import { PublishedSite } from "../../crawler/engine/published-site.ts";
import { exampleStatus } from "../../example-status.ts";
import { makeTempFolder, type TempFolder } from "../../temp-folder.ts";
import { parseOpenMetrics } from "../open-metrics.ts";
import { type Ended, endOf, runProgram, startProgram } from "../run-program.ts";

type Line = Readonly<Record<string, unknown>>;

const linesOf = (text: string): Line[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

/** Sites, and a process that follows them. */
class Following implements AsyncDisposable {
  readonly folder: TempFolder = makeTempFolder();
  readonly into: string = join(this.folder.path, "mirrors");
  readonly sites: PublishedSite[] = [];
  readonly #list: string = join(this.folder.path, "sites.txt");
  #child: ReturnType<typeof startProgram> | undefined;
  #lines: AsyncIterator<[string]> | undefined;
  #ended: Promise<Ended> | undefined;

  /** @param more - further lines of the list */
  static async open(count: number, more = ""): Promise<Following> {
    const following = new Following();
    for (let number = 1; number <= count; number++) {
      const site = await PublishedSite.open(`127.0.9.${number}`);
      site.set({ "/": `<p>home ${number}`, "/a.html": "<p>a" });
      site.publishBase();
      following.sites.push(site);
    }
    writeFileSync(following.#list, following.sites.map(({ origin }) => `${origin}/ look-least=1h\n`).join("") + more);
    return following;
  }

  /** Starts it, and waits until each site was visited. */
  async start(visits: number): Promise<void> {
    this.#child = startProgram(["crawl", "--sites", this.#list, "--into", this.into, "--forever", "--json"]);
    this.#ended = endOf(this.#child);
    assert.ok(this.#child.stdout !== null);
    this.#lines = on(createInterface({ input: this.#child.stdout }), "line") as AsyncIterator<[string]>;
    for (let left = visits; left > 0; left--) await this.told("site-summary");
  }

  async told(event: string): Promise<Line> {
    assert.ok(this.#lines !== undefined);
    for (;;) {
      const { value } = await this.#lines.next();
      const line = JSON.parse(value[0]) as Line;
      if (line.event === event) return line;
    }
  }

  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    this.#child?.kill(signal);
    await this.#ended;
    this.#child = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end("SIGKILL");
    for (const site of this.sites) await site[Symbol.asyncDispose]();
    this.folder[Symbol.dispose]();
  }
}

/** The status once it says so; the follower writes it each second. */
async function topUntil(into: string, isThere: (status: Line) => boolean): Promise<Line> {
  for (;;) {
    const { code, stdout } = await runProgram("top", into, "--json");
    const line = linesOf(stdout).at(-1) ?? {};
    if (code === exitCodes.done && isThere(line)) return line;
    await setTimeout(50);
  }
}

describe("tidemark top", () => {
  it("shows a follower that works, and that nobody does once it has ended", async () => {
    await using following = await Following.open(2);
    const { into } = following;
    await following.start(2);
    const status = await topUntil(into, ({ visits }) => visits === 2);
    const { event, sites, waiting, created, failedVisits, pollingRequests, requests } = status;
    assert.deepEqual([event, sites, waiting, created, failedVisits], ["summary", 2, 2, 4, 0]);
    assert.equal(pollingRequests, 4);
    assert.equal(status.savedRequests, 4 - Number(requests));
    assert.ok(Number(status.bytes) > 0 && Number(requests) > 4);
    const once = await runProgram("top", into);
    assert.equal(once.code, exitCodes.done);
    assert.match(once.stdout, /2: 0 under way, 2 waiting/);
    assert.match(once.stdout, /^next \(2\)/m);
    const { stdout } = await runProgram("top", into, "--openmetrics");
    assert.equal(parseOpenMetrics(stdout).find(({ name }) => name === "tidemark_follower_visits_total")?.value, 2);
    await following.end();
    const file = join(following.folder.path, "top.prom");
    const ended = await runProgram("top", into, "--openmetrics", file);
    assert.deepEqual([ended.code, ended.stdout], [exitCodes.broken, ""]);
    assert.match(ended.stderr, /Nobody follows sites into .*mirrors\.\n/);
    assert.equal(parseOpenMetrics(readFileSync(file, "utf8"))[0]?.value, 0);
  });

  it("tells what keeps sites from being visited", async () => {
    await using broken = await PublishedSite.open("127.0.9.101");
    broken.answers.set("/robots.txt", (_, response) => response.writeHead(500).end());
    await using following = await Following.open(0, `${broken.origin}/\nhttp://127.0.9.102:9/\n`);
    await following.start(2);
    const { troubled } = await topUntil(following.into, ({ visits }) => visits === 2);
    const messages = (troubled as Line[]).map(({ message }) => String(message)).sort();
    assert.deepEqual(messages, ["connect ECONNREFUSED 127.0.9.102:9", "the server answered 500"]);
    assert.match((await runProgram("top", following.into)).stdout, / the server answered 500$/m);
  });

  it("tells one that was killed from one that works", async () => {
    await using following = await Following.open(1);
    await following.start(1);
    await topUntil(following.into, ({ visits }) => visits === 1);
    await following.end("SIGKILL");
    const { code, stderr } = await runProgram("top", following.into, "--once");
    assert.equal(code, exitCodes.broken);
    assert.match(stderr, /ended without saying so/);
  });

  for (const [name, keys] of [
    ["q", "q"],
    ["Ctrl-C", "\u0003"],
  ] as const)
    it(`draws on a terminal until ${name}, and gives it back`, async () => {
      using folder = makeTempFolder();
      writeFollowStatus(folder.path, exampleStatus({ writtenMs: Date.now(), startedMs: Date.now() }));
      const modes: boolean[] = [];
      const stdin = Object.assign(new PassThrough(), {
        isTTY: true,
        setRawMode: (isRaw: boolean) => void modes.push(isRaw),
      });
      const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
      const host = {
        argv: ["node", "tidemark", "top", folder.path],
        stdin,
        stdout,
        stderr: new PassThrough(),
        on: () => host,
        off: () => host,
        exitCode: undefined,
      };
      let drawn = "";
      stdout.on("data", (bytes: Buffer) => {
        drawn += bytes.toString();
        // An arrow ends nothing.
        if (drawn.includes("q ends it")) stdin.write(modes.length === 1 ? `\u001b[A` : "");
        if (drawn.includes("q ends it")) stdin.write(keys);
      });
      await main(host as unknown as Host);
      assert.equal(host.exitCode, exitCodes.done);
      assert.deepEqual(modes, [true, false]);
      assert.ok(drawn.startsWith("\u001b[?1049h\u001b[?25l\u001b[H"));
      assert.ok(drawn.endsWith("\u001b[?25h\u001b[?1049l"));
      assert.match(drawn, /2,007: 3 under way/);
    });

  it("leaves the terminal alone where nobody follows", async () => {
    using folder = makeTempFolder();
    const { code, stdout } = await runProgram("top", folder.path);
    assert.deepEqual([code, stdout], [exitCodes.broken, ""]);
    assert.equal((await runProgram("top", folder.path, "--json", "--openmetrics")).code, exitCodes.usage);
  });
});

describe("tidemark sites", () => {
  it("pauses, resumes and prefers sites while they are followed, and refuses what is no decision", async () => {
    await using following = await Following.open(2);
    const { into } = following;
    await following.start(2);
    const [first, second] = following.sites.map(({ origin }) => origin);
    assert.ok(first !== undefined && second !== undefined);
    const paused = runProgram("sites", into, `${first}/`, "--pause", "--priority", "9", "--json");
    assert.deepEqual(await following.told("decision"), { event: "decision", site: first, isPaused: true, priority: 9 });
    const [{ holds, isPaused, priority } = {}] = linesOf((await paused).stdout);
    assert.deepEqual([holds, isPaused, priority], ["now", true, 9]);
    await topUntil(into, (status) => status.paused === 1 && status.waiting === 1);
    const { stdout } = await runProgram("sites", into, "--json");
    const [one, other, summary] = linesOf(stdout);
    assert.deepEqual([one?.site, one?.isPaused, one?.priority], [first, true, 9]);
    assert.deepEqual([other?.site, other?.isPaused, other?.priority], [second, false, 5]);
    assert.ok(Number(other?.nextMs) > Date.now() && Number(other?.lastMs) <= Date.now());
    assert.deepEqual(summary, { event: "summary", sites: 2, paused: 1 });
    assert.match((await runProgram("sites", into)).stdout, new RegExp(`^paused .* 9 +0  ${first}$`, "m"));
    writeFileSync(join(into, ".tidemark", "inbox", "x.json"), "{}");
    assert.match(String((await following.told("warning")).message), /"x\.json" in the inbox is no decision/);
    const resumed = runProgram("sites", into, first, "--resume");
    assert.equal((await following.told("decision")).isPaused, false);
    assert.match((await resumed).stdout, /: resumed\n$/);
    assert.deepEqual(readdirSync(join(into, ".tidemark", "inbox")), []);
  });

  it("does so while they are not, and what was decided outlasts the follower", async () => {
    await using following = await Following.open(2);
    const { into } = following;
    const never = await runProgram("sites", into);
    assert.deepEqual([never.code, /Nobody ever followed/.test(never.stderr)], [exitCodes.broken, true]);
    await following.start(2);
    await following.end();
    const [first = "", second = ""] = following.sites.map(({ origin }) => origin);
    const paused = await runProgram("sites", into, first, "--pause");
    assert.deepEqual([paused.code, paused.stdout], [exitCodes.done, `${first}: paused\n`]);
    // What another left for the next start is made then.
    const inbox = join(into, ".tidemark", "inbox");
    mkdirSync(inbox, { recursive: true });
    writeFileSync(join(inbox, "1.json"), JSON.stringify({ site: second, priority: 1 }));
    await following.start(0);
    assert.equal((await following.told("decision")).site, second);
    const status = await topUntil(into, () => true);
    assert.deepEqual([status.sites, status.paused, status.waiting], [2, 1, 1]);
    await following.end();
    const [one, other] = linesOf((await runProgram("sites", into, "--json")).stdout);
    assert.deepEqual([one?.isPaused, other?.priority], [true, 1]);
    assert.ok(Number(other?.nextMs) > Date.now());
    const due = await runProgram("sites", into, second, "--visit");
    assert.deepEqual([due.code, due.stdout], [exitCodes.done, `${second}: to be visited now\n`]);
    const after = linesOf((await runProgram("sites", into, second, "--json")).stdout)[0];
    assert.ok(Number(after?.nextMs) <= Date.now());
  });

  it("says what is wrong with the command line", async () => {
    await using following = await Following.open(1);
    await following.start(1);
    await following.end();
    const url = `${following.sites[0]?.origin}/`;
    const rows: [string[], RegExp][] = [
      [["--pause"], /url is missing/],
      [[url, "--pause", "--resume"], /exclude each other/],
      [[url, "--priority", "11"], /from 0 to 10/],
      [["https://nowhere.example/", "--pause"], /https:\/\/nowhere\.example is not followed/],
      [["nonsense"], /not an http or https URL/],
    ];
    for (const [args, message] of rows) {
      const { code, stderr } = await runProgram("sites", following.into, ...args);
      assert.equal(code, exitCodes.usage, `${args}`);
      assert.match(stderr, message);
    }
  });
});
