import assert from "node:assert/strict";
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { exportSite } from "../../src/exporter/index.ts";
import { AnswerTable } from "../../src/traffic/answer-table.ts";
import { KnownCrawlers, nameUnlisted } from "../../src/traffic/known-crawlers.ts";
import { readTraffic, type TrafficEvent, type TrafficOptions } from "../../src/traffic/read-traffic.ts";
import { createTally } from "../../src/traffic/tally.ts";
import { runProgram, runProgramWith } from "../cli/run-program.ts";
import { makeTempFolder } from "../temp-folder.ts";

const gptBot = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.0; +https://openai.com/gptbot)";
const browser = "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0";
const lineOf = (address: string, path: string, status: number, bytes: number, agent: string, method = "GET") =>
  `${address} - - [10/Oct/2026:13:55:36 +0000] "${method} ${path} HTTP/1.1" ${status} ${bytes} "-" "${agent}"\n`;

const none = createTally();

const log = [
  // Needless: the 304, and the second 200 of one size; the third has another.
  lineOf("1.1.1.1", "/a", 200, 100, gptBot),
  lineOf("1.1.1.2", "/a", 200, 100, gptBot),
  lineOf("1.1.1.1", "/a", 200, 101, gptBot),
  lineOf("1.1.1.1", "/a", 304, 0, gptBot),
  lineOf("1.1.1.1", "/a", 200, 101, gptBot, "HEAD"),
  lineOf("1.1.1.1", "/x", 404, 9, gptBot),
  // Asks for robots.txt after its first page, from an address that a person has as well.
  lineOf("2.2.2.2", "/a", 200, 100, "OwnBot/1.0"),
  lineOf("2.2.2.2", "/robots.txt", 200, 30, "OwnBot/1.0"),
  lineOf("2.2.2.2", "/a", 200, 100, browser),
  lineOf("2.2.2.2", "/a", 200, 100, browser),
  lineOf("3.3.3.3", "/a", 200, 100, "OwnBot/1.0"),
].join("");

test("crawlers are those of the list and those who ask for robots.txt; needless requests are counted", async () => {
  using temp = makeTempFolder();
  const file = join(temp.path, "access.log.1");
  writeFileSync(file, gzipSync(log));
  const input = async function* () {
    yield Buffer.from("no line\n");
  };
  const events: TrafficEvent[] = [];
  const summary = await readTraffic({ logs: [file, "-"], input, onEvent: (event) => events.push(event) });
  const { requests, bytes } = summary.all;
  assert.deepEqual([requests, bytes, summary.lines, summary.badLines], [11, 841, 12, 1]);
  assert.deepEqual([summary.crawlerCount, summary.crawlersWithNotModified], [2, 1]);
  const seen = {
    ...none,
    requests: 6,
    bytes: 411,
    conditional: 1,
    notModified: 1,
    needless: 2,
    wastedBytes: 100,
    errors: 1,
  };
  const own = { ...none, requests: 2, bytes: 130, robots: 1 };
  const areImpostors = false;
  assert.deepEqual(summary.groups, [
    { operator: "openai.com", purpose: "ai-training", crawlers: ["GPTBot"], areImpostors, counts: seen },
    { operator: "OwnBot", purpose: "unknown", crawlers: ["OwnBot"], areImpostors, counts: own },
  ]);
  const [first] = summary.crawlers;
  assert.deepEqual([first?.name, first?.basis, first?.verified, first?.clients], ["GPTBot", "list", null, 2]);
  const minute = Date.UTC(2026, 9, 10, 13, 55) / 1000;
  assert.deepEqual(first?.peak, { at: minute, requests: 6 });
  assert.deepEqual(first?.kinds, [{ kind: "page", requests: 6, bytes: 411 }]);
  assert.deepEqual(summary.days, [
    {
      day: "2026-10-10",
      requests: 11,
      bytes: 841,
      crawling: { requests: 8, bytes: 541, needless: 2, wastedBytes: 100 },
      purposes: { "ai-training": { requests: 6, bytes: 411 }, unknown: { requests: 2, bytes: 130 } },
    },
  ]);
  assert.deepEqual(
    events.filter(({ event }) => event === "bad-line"),
    [{ event: "bad-line", log: "-", text: "no line" }],
  );
});

test("with ETags in the log these decide, and conditional requests are known", async () => {
  const rows = [
    ["e1", "-"],
    ["e2", '\\"e1\\"'],
    ["W/e2", "-"],
  ].map(([etag, sent]) => `1.1.1.1 "GET /a HTTP/1.1" 200 100 "GPTBot/1.0" "${sent}" ${etag}\n`);
  const input = async function* () {
    yield Buffer.from(rows.join(""));
  };
  const format = '%h "%r" %>s %b "%{User-Agent}i" "%{If-None-Match}i" %{ETag}o';
  const { groups, areConditionsLogged } = await readTraffic({ logs: ["-"], input, format });
  assert.ok(areConditionsLogged);
  assert.deepEqual([groups[0]?.counts.needless, groups[0]?.counts.conditional], [1, 1]);
});

const settledOf = async (lines: readonly string[], options: Partial<TrafficOptions> = {}) => {
  const input = async function* () {
    yield Buffer.from(lines.join(""));
  };
  return await readTraffic({ logs: ["-"], input, ...options });
};

test("a client that goes through pages as no browser does is a crawler, if the log has what browsers load", async () => {
  const pagesOf = (address: string, assets: number, pages: number) =>
    Array.from({ length: 150 }, (_, at) => [
      lineOf(address, `/page-${at % pages}`, 200, 100, browser),
      ...Array.from({ length: assets }, () => lineOf(address, `/style-${at}.css`, 200, 10, browser)),
    ]).flat();
  const [reader, hidden, stuck] = [pagesOf("1.1.1.1", 2, 150), pagesOf("2.2.2.2", 0, 150), pagesOf("3.3.3.3", 0, 10)];
  const summary = await settledOf([...reader, ...hidden, ...stuck]);
  assert.deepEqual(
    summary.crawlers.map(({ name, basis, counts }) => [name, basis, counts.requests]),
    [["(like a browser) 2.2.2.0/24", "behaviour", 150]],
  );
  const without = await settledOf([...hidden, ...stuck]);
  assert.deepEqual([without.crawlerCount, without.isBehaviourJudged], [0, false]);
  // It loads files after all.
  const late = pagesOf("2.2.2.2", 1, 150);
  assert.equal((await settledOf([...reader, ...hidden, ...late])).crawlerCount, 0);
});

test("of more clients than have room those that did not come for long are forgotten, and it is told", async () => {
  const addressOf = (at: number) => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`;
  const count = 101_000;
  const input = async function* () {
    for (let at = 0; at < count; at++) {
      const often = at % 1000 === 0 ? lineOf("1.1.1.1", "/a", 200, 100, gptBot) : "";
      yield Buffer.from(`${lineOf(addressOf(at), "/robots.txt", 200, 30, "OwnBot/1.0")}${often}`);
    }
  };
  const { forgottenClients, crawlers, all } = await readTraffic({ logs: ["-"], input });
  assert.equal(forgottenClients, count + 1 - 100_000);
  assert.deepEqual(
    crawlers.map(({ name, clients, counts }) => [name, clients, counts.requests]),
    [
      ["OwnBot", count, count],
      ["GPTBot", 1, 101],
    ],
  );
  assert.equal(all.requests, count + 101);
});

test("who calls itself a crawler from an address that its operator does not name is an impostor", async () => {
  using temp = makeTempFolder();
  const [json, list, clients] = ["google.json", "openai.txt", "clients.tsv"].map((name) => join(temp.path, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(json, '{"prefixes":[{"ipv4Prefix":"66.249.64.0/19"},{"ipv6Prefix":"2001:4860:4801::/48"}]}');
  writeFileSync(list, "# GPTBot\n52.230.152.0/24\n\n");
  const google = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
  const addresses = ["66.249.66.1", "2001:4860:4801:1::5", "9.9.9.9", "2001:db8:1:2::5"];
  const lines = [
    ...addresses.map((one) => lineOf(one, "/a", 200, 5, google)),
    // Of a server that logs names, or no addresses.
    ...["crawl-66-249-66-1.googlebot.com", "-"].map((one) => lineOf(one, "/a", 200, 1, google)),
    lineOf("52.230.152.7", "/", 200, 1, gptBot),
  ];
  const ranges = [`Googlebot=${json}`, `gptbot=${list}`];
  const summary = await settledOf(lines, { ranges, clients });
  assert.deepEqual(
    summary.crawlers.map(({ name, verified, clients: count }) => [name, verified, count]),
    [
      ["Googlebot", true, 2],
      ["Googlebot", false, 2],
      ["Googlebot", null, 2],
      ["GPTBot", true, 1],
    ],
  );
  assert.deepEqual(
    summary.groups.map(({ areImpostors }) => areImpostors),
    [false, true, false],
  );
  const rows = readFileSync(clients, "latin1")
    .trim()
    .split("\n")
    .map((row) => row.split("\t"));
  assert.equal(rows[0]?.[4], "address");
  assert.deepEqual(
    rows.slice(1).map((row) => [row[3], row[4]]),
    [
      ["yes", "66.249.66.0/24"],
      ["yes", "2001:4860:4801::/48"],
      ["no", "9.9.9.0/24"],
      ["no", "2001:db8:1::/48"],
      ["-", "-"],
      ["-", "-"],
      ["yes", "52.230.152.0/24"],
    ],
  );
  await settledOf(lines, { ranges, clients, addresses: true });
  assert.match(readFileSync(clients, "latin1"), /\tno\t2001:db8:1:2::5\t/);
  for (const [text, expected] of [
    ["", /names no addresses/],
    ["1.2.3.4/33", /no range/],
    ['{"a":1}', /neither/],
  ] as const) {
    writeFileSync(list, text);
    await assert.rejects(settledOf(lines, { ranges: [`x=${list}`] }), { code: "bad-option", message: expected });
  }
  await assert.rejects(settledOf(lines, { ranges: ["x"] }), { code: "bad-option" });
  await assert.rejects(settledOf(lines, { clients: join(temp.path, "none", "x") }), { code: "not-found" });
});

test("requests that robots.txt forbids are counted, by the group of the crawler", async () => {
  using temp = makeTempFolder();
  const robots = join(temp.path, "robots.txt");
  writeFileSync(robots, "User-agent: GPTBot\nDisallow: /private/\n\nUser-agent: *\nDisallow: /a\n");
  const paths = ["/a", "/private/x", "/robots.txt"];
  const summary = await settledOf(
    [...paths.map((path) => lineOf("1.1.1.1", path, 200, 1, gptBot)), lineOf("2.2.2.2", "/a", 200, 1, browser)],
    { robots },
  );
  assert.deepEqual([summary.crawling.breaches, summary.all.breaches], [1, 0]);
});

test("what a crawler saw of a site, and what archives would have saved it", async () => {
  using temp = makeTempFolder();
  const site = await publishedSite(temp.path);
  const day = (path: string, date: number, status = 200) =>
    `1.1.1.1 - - [${String(date).padStart(2, "0")}/Oct/2026:12:00:00 +0000] "GET ${path} HTTP/1.1" ${status} 1000 "-" "${gptBot}"\n`;
  const lines = [
    day("/a.html", 2),
    day("/b.html", 2),
    day("/a.html", 4),
    day("/b.html", 4),
    day("/a.html", 5),
    day("/x", 5, 404),
  ];
  const { crawlers, history } = await settledOf(lines, { archives: site });
  const pages = crawlers[0]?.pages;
  // a changed on the 3rd; of b nothing is known but its state.
  assert.deepEqual(
    [pages?.needless, pages?.wastedBytes, pages?.updates, pages?.neverRequested, pages?.outdated],
    [2, 2000, 1, 1, 0],
  );
  const median = pages?.medianDelaySeconds ?? 0;
  assert.ok(Math.abs(median - 1.5 * 86_400) < 0.2 * 86_400, String(median));
  assert.deepEqual([history?.pages, history?.neverRequested, history?.neverRequestedPaths], [3, 1, ["/c.html"]]);
  assert.ok((history?.neededBytes ?? 0) > 4000 && (history?.neededBytes ?? 0) < 8000);
  await assert.rejects(settledOf(lines, { archives: join(temp.path, "none") }), { code: "no-archives" });
});

test("what a crawler costs a day is compared before and since it reads archives", async () => {
  const on = (date: number, path: string, bytes: number) =>
    `1.1.1.1 - - [0${date}/Oct/2026:12:00:00 +0000] "GET ${path} HTTP/1.1" 200 ${bytes} "-" "${gptBot}"\n`;
  const before = [1, 1, 1, 3].map((date) => on(date, `/${date}`, 1000));
  const since = [on(5, "/.well-known/tidemark/index.gz", 100), on(6, "/a", 300)];
  const use = async (lines: readonly string[]) => (await settledOf(lines)).crawlers[0]?.archiveUse;
  assert.deepEqual(await use([...before, ...since]), {
    since: "2026-10-05",
    requestsPerDayBefore: 1,
    requestsPerDaySince: 1,
    bytesPerDayBefore: 1000,
    bytesPerDaySince: 200,
  });
  assert.deepEqual([await use(before), await use(since)], [null, null]);
});

/** Three pages; one changed on the third of October at midnight. */
async function publishedSite(folder: string): Promise<string> {
  const docroot = join(folder, "site");
  mkdirSync(docroot);
  const write = (name: string, text: string, time: number) => {
    writeFileSync(join(docroot, name), text);
    utimesSync(join(docroot, name), time, time);
  };
  const first = Date.UTC(2026, 8, 1) / 1000;
  for (const name of ["a.html", "b.html", "c.html"]) write(name, `<p>${name}`, first);
  const run = async (now: number) =>
    await exportSite({
      docroot,
      baseUrl: "https://a.example/",
      stateDir: join(folder, "state"),
      clock: () => now * 1000,
    });
  await run(Date.UTC(2026, 8, 2) / 1000);
  write("a.html", "<p>changed", Date.UTC(2026, 9, 3) / 1000);
  await run(Date.UTC(2026, 9, 3, 1) / 1000);
  return docroot;
}

test("a damaged packed log counts as far as it goes; one that is missing ends the command", async () => {
  using temp = makeTempFolder();
  const file = join(temp.path, "access.log.gz");
  writeFileSync(file, gzipSync(log).subarray(0, -10));
  const summary = await readTraffic({ logs: [file] });
  assert.equal(summary.failed, 1);
  await assert.rejects(readTraffic({ logs: [join(temp.path, "none")] }), { code: "not-found" });
  await assert.rejects(readTraffic({ logs: [file], format: "%h" }), { code: "bad-option" });
});

test("the command answers in at most 20 lines of printable ASCII", async () => {
  using temp = makeTempFolder();
  const file = join(temp.path, "access.log");
  const many = Array.from({ length: 60 }, (_, at) => lineOf("4.4.4.4", "/robots.txt", 200, at, `B\\x1b[31m${at}`));
  writeFileSync(file, `${log}${many.join("")}\u001b[31m\u0000\n`);
  const ended = await runProgram("traffic", file);
  assert.equal(ended.code, 0);
  assert.ok(ended.stdout.split("\n").length <= 21, ended.stdout);
  assert.match(ended.stdout + ended.stderr, /^[ -~\n]+$/);
  assert.match(ended.stdout, /^71 requests, .*; 1 line of no known format$/m);
  assert.match(ended.stdout, /^openai\.com +ai-training +6 /m);
  const piped = await runProgramWith(log, "traffic", "-");
  assert.match(piped.stdout, /^11 requests, 841 bytes/);
  assert.equal((await runProgram("traffic")).code, 2);
  assert.equal((await runProgram("traffic", "-", "-")).code, 2);
});

test("agents have names, whatever they send", () => {
  const known = new KnownCrawlers();
  assert.equal(known.find(gptBot)?.operator, "openai.com");
  assert.equal(known.find("Mozilla/5.0 (compatible; Googlebot/2.1)")?.name, "Googlebot");
  assert.equal(known.find(browser), undefined);
  const yandex = known.find("Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)");
  assert.deepEqual([yandex?.name, yandex?.purpose], ["YandexBot", "search"]);
  // The list knows only a directory of agents for it.
  assert.equal(
    known.find("Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)")?.operator,
    "ahrefs.com",
  );
  assert.deepEqual(
    ["CCBot/2.0", "GPTBot/1.2", "ChatGPT-User/1.0", "archive.org_bot", "PerplexityBot/1.0"].map(
      (agent) => known.find(agent)?.purpose,
    ),
    ["ai-training", "ai-training", "ai-answers", "archive", "ai-answers"],
  );
  const names = ["", browser, "Mozilla/5.0 (compatible; Own/1)", "a\u009b/1"].map((agent) => nameUnlisted(agent).name);
  assert.deepEqual(names, ["(no agent)", "(like a browser)", "Own", "a?"]);
  // The page that explains it follows without a semicolon.
  const archive = known.find("Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)");
  assert.equal(archive?.name, "archive.org_bot");
  assert.equal(nameUnlisted("Mozilla/5.0 (compatible; Own bot (https://own.example/))").name, "Own bot");
});

test("a table of answers grows to its bound and then refuses", () => {
  const table = new AnswerTable(1 << 18);
  const keyOf = (at: number) => at * 2 ** 20 + Math.imul(at, 2_654_435_761) / 2 ** 12 + 1;
  const keys = Array.from({ length: 150_000 }, (_, at) => Math.floor(Math.abs(keyOf(at + 1))));
  for (const key of keys) table.replace(key, 7);
  assert.ok(table.refused >= 150_000 - (1 << 17));
  assert.equal(table.replace(keys[0] ?? 0, 8), 7);
  assert.equal(table.replace(keys[0] ?? 0, 9), 8);
});
