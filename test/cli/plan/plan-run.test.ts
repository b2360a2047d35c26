import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pollPlannerNames } from "../../../src/crawler/engine/revisit/poll-planners.ts";
import { urlset } from "../../crawler/engine/mapped-site.ts";
import { Crawler } from "../../crawler/engine/site-visit.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { runProgram } from "../run-program.ts";

const everyDays = [1, 1, 2, 3, 5, 8, 0, 0, 0, 0, 0, 0];

/** A crawler that visited a site of twelve pages each day, some of which change. */
async function openPolled(days: number): Promise<Crawler> {
  const crawler = await Crawler.open();
  const { site } = crawler;
  const paths = everyDays.map((_, page) => `/${page}.html`);
  const list = urlset(
    site.origin,
    paths.map((path) => ({ path })),
  );
  site.files.set("/sitemap.xml", Buffer.from(list));
  for (let day = 0; day <= days; day++) {
    const versionOf = (page: number): number => Math.floor(day / (everyDays[page] || 1000));
    site.set(Object.fromEntries(paths.map((path, page) => [path, `${path} ${versionOf(page)}`])));
    await crawler.visitNextDay({ sources: ["sitemap"], budget: 12, planner: "round-robin" });
  }
  return crawler;
}

const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("tidemark plan", () => {
  it("tells what each planner would do, in 80 columns and without colours", async () => {
    await using crawler = await openPolled(8);
    const { path } = crawler.folder;
    const { code, stdout, stderr } = await runProgram("plan", path, "--freshness", "0.9");
    assert.deepEqual([code, stderr], [0, ""]);
    const lines = stdout.split("\n");
    assert.deepEqual(lines.slice(0, 2), [crawler.site.origin, "12 pages, 12 with a history, of 96 polls in all."]);
    assert.match(
      lines[2] ?? "",
      /^Assumed of a page before that: one change in \d+\.\d [hd], as if it had been seen once\.$/,
    );
    assert.match(lines[4] ?? "", /^Budget: 0\.60 requests a day, 5\.0 % of the pages\.$/);
    for (const line of lines) assert.ok(/^[ -~]{0,80}$/.test(line), line);
    for (const planner of pollPlannerNames)
      assert.equal(lines.filter((line) => line.startsWith(`${planner} `)).length, 2, planner);
  });

  it("tells the same as lines of JSON", async () => {
    await using crawler = await openPolled(8);
    const { path } = crawler.folder;
    const { stdout } = await runProgram("plan", path, "--budget", "3", "--freshness", ".8", "--json");
    const lines = linesOf(stdout);
    const summary = lines.at(-1);
    assert.deepEqual([summary?.event, summary?.pages, summary?.budgetPerDay], ["summary", 12, 3]);
    assert.deepEqual(summary?.sites, [crawler.site.origin]);
    const forecasts = new Map(lines.slice(0, -1).map((line) => [line.planner, line]));
    assert.deepEqual([...forecasts.keys()], [...pollPlannerNames]);
    const [optimum, round] = [forecasts.get("optimum"), forecasts.get("round-robin")];
    assert.ok(Number(optimum?.freshness) > Number(round?.freshness));
    assert.ok(Number(optimum?.neededPerDay) < Number(round?.neededPerDay));
    assert.equal(round?.neverVisited, 0);
    const [low = 1, high = 0] = (round?.freshnessRange ?? []) as readonly number[];
    assert.ok(low < Number(round?.freshness) && Number(round?.freshness) < high && high - low < 0.3);
  });

  it("draws freshness against budget, a line for each planner", async () => {
    await using crawler = await openPolled(4);
    const figure = join(crawler.folder.path, "plan.svg");
    const { code } = await runProgram("plan", crawler.folder.path, "--site", crawler.site.origin, "--figure", figure);
    assert.equal(code, 0);
    const svg = readFileSync(figure, "utf8");
    assert.match(svg, /^<svg /);
    for (const planner of pollPlannerNames) assert.ok(svg.includes(`>${planner}<`), planner);
  });

  it("plans by what is assumed, and says so, if no page was requested twice", async () => {
    await using crawler = await openPolled(0);
    const { code, stdout } = await runProgram("plan", crawler.folder.path);
    assert.equal(code, 0);
    assert.deepEqual(stdout.split("\n").slice(1, 4), [
      "12 pages, 0 with a history, of 0 polls in all.",
      "Assumed of a page before that: one change in 7.0 d, as if it had been seen once.",
      "Nothing was observed yet: all numbers below follow from what is assumed.",
    ]);
    const json = linesOf((await runProgram("plan", crawler.folder.path, "--json")).stdout).at(-1);
    assert.deepEqual([json?.polls, json?.assumedSecondsPerChange], [0, [604_800, 604_800]]);
  });

  it("says what is missing where it cannot plan", async () => {
    using empty = makeTempFolder();
    const refused = async (args: readonly string[], message: RegExp): Promise<void> => {
      const { code, stdout, stderr } = await runProgram("plan", ...args);
      assert.ok(code !== 0 && stdout === "", stdout);
      assert.match(stderr, message);
    };
    await refused([join(empty.path, "none")], /no state of a crawler/);
    await refused([empty.path], /no state of a crawler/);
    await using unplanned = await Crawler.open({ "/a.html": "a" });
    await unplanned.visit();
    await refused([unplanned.folder.path], /no page .*requested by a plan.*--poll planned/s);
    await using crawler = await openPolled(0);
    const { path } = crawler.folder;
    await refused([path, "--site", "https://other.example/"], /no site https:\/\/other\.example/);
    await refused([path, "--budget", "much"], /--budget "much".*500, or 5%/s);
    await refused([path, "--budget", "0"], /--budget "0"/);
    await refused([path, "--freshness", "90"], /--freshness "90".*0\.9/s);
    await refused([path, "--figure", "plan.png"], /end in \.svg/);
    writeFileSync(join(path, "file"), "");
    const lost = join(path, "file", "plan.svg");
    await crawler.visitNextDay({ sources: ["sitemap"], budget: 12, planner: "round-robin" });
    await refused([path, "--figure", lost], /plan\.svg/);
    assert.equal(existsSync(lost), false);
  });
});
