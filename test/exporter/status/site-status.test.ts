import assert from "node:assert/strict";
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readSiteStatus, type SiteStatus, type SiteStatusOptions } from "../../../src/exporter/status/site-status.ts";
import { statusProblemCodes } from "../../../src/exporter/status/status-problem.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { TestSite } from "../publish/test-site.ts";

const hourMs = 3_600_000;

function statusOf(site: TestSite, more: Partial<SiteStatusOptions> = {}): Promise<SiteStatus> {
  return readSiteStatus({ stateDir: site.stateDir, clock: () => site.nowMs, ...more });
}

const codesOf = ({ problems }: SiteStatus) => problems.map(({ severity, code }) => `${severity} ${code}`);

async function publishedSite(days: number): Promise<TestSite> {
  const site = new TestSite();
  for (let at = 0; at < 10; at++) site.write(`${at}.html`, `${at}`);
  for (let day = 0; day < days; day++) {
    for (let at = 0; at <= day; at++) site.write(`${at}.html`, `${at} on day ${day}`);
    await site.export();
  }
  return site;
}

/** Puts a program named systemctl before all others while something is done. */
async function withSystemctl<T>(script: string, act: () => Promise<T>): Promise<T> {
  using folder = makeTempFolder();
  const file = join(folder.path, "systemctl");
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  const { PATH = "" } = process.env;
  process.env.PATH = `${folder.path}:${PATH}`;
  try {
    return await act();
  } finally {
    process.env.PATH = PATH;
  }
}

type Harm = (site: TestSite) => void | Promise<void>;

// What happens to a site that is fine, what is said then, and the options it is asked with.
const harms: ReadonlyArray<readonly [string, Harm, readonly string[], Partial<SiteStatusOptions>?]> = [
  [
    "a timer that does not run any more",
    (site) => {
      site.nowMs += 27 * hourMs;
    },
    ["critical stale"],
  ],
  [
    "a run that is late, where that is allowed",
    (site) => {
      site.nowMs += 27 * hourMs;
    },
    [],
    { maxAgeMs: 28 * hourMs },
  ],
  [
    "a document root that is not mounted",
    async (site) => {
      renameSync(site.docroot, `${site.docroot}-away`);
      await assert.rejects(site.export({ clock: () => site.nowMs - 23 * hourMs }));
      site.nowMs -= 23 * hourMs;
    },
    ["critical run-failed", "critical docroot-missing"],
  ],
  [
    "an index that a deployment removed",
    (site) => rmSync(join(site.publishedFolder, "index.gz")),
    ["critical index-missing"],
  ],
  [
    "an index of yesterday",
    async (site) => {
      const index = join(site.publishedFolder, "index.gz");
      renameSync(index, `${index}.old`);
      site.write("0.html", "later");
      await site.export();
      renameSync(`${index}.old`, index);
    },
    ["critical index-differs"],
  ],
  [
    "an archive that somebody removed",
    (site) => {
      const [name = ""] = readdirSync(site.publishedFolder).filter(
        (file) => file.endsWith(".gz") && file !== "index.gz",
      );
      rmSync(join(site.publishedFolder, name));
    },
    ["critical archives-missing"],
  ],
  [
    "a state that is no state",
    (site) => writeFileSync(join(site.stateDir, "ledger.json.gz"), "x"),
    ["critical state-unreadable"],
  ],
  ["a state that was lost", (site) => rmSync(site.stateDir, { recursive: true }), ["critical never-published"]],
  [
    "a clock that was ahead",
    (site) => {
      site.nowMs -= 30 * 24 * hourMs;
    },
    ["warning clock-ahead"],
  ],
  ["a record of before there were records", (site) => rmSync(join(site.stateDir, "last-run.json")), []],
];

describe("the status of a site", () => {
  it("is fine where all is published, and says what there is", async () => {
    using site = await publishedSite(3);
    const status = await statusOf(site);
    assert.deepEqual([status.status, status.problems, status.site], ["fine", [], "https://example.org/"]);
    const { ledger, published, lastRun } = status;
    assert.equal(ledger?.pages, 10);
    assert.deepEqual(
      ledger?.days.slice(-3).map(({ changes }) => changes),
      [0, 2, 3],
    );
    assert.equal(ledger?.days.length, 14);
    assert.deepEqual([ledger?.changesSinceBase, ledger?.changesUntilBase], [5, 245]);
    assert.equal(published?.index, "equal");
    const index = site.reader().index;
    const listed = readdirSync(site.publishedFolder).length - 1;
    assert.equal(ledger?.archives, listed - 1, "all files but the index and the list of the base");
    assert.ok((published?.listedBytes ?? 0) > index.archives.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
    assert.equal(lastRun?.outcome, "published");
    assert.deepEqual(JSON.parse(JSON.stringify(status.ledger)), status.ledger);
  });

  for (const [what, harm, expected, options] of harms) {
    it(`tells of ${what}`, async () => {
      using site = await publishedSite(2);
      await harm(site);
      assert.deepEqual(codesOf(await statusOf(site, options)), expected);
    });
  }

  it("tells of files, or lines of lists, that failed", async () => {
    using site = await publishedSite(1);
    const file = join(site.stateDir, "last-run.json");
    const run = JSON.parse(readFileSync(file, "utf8"));
    const trouble = { kind: "item-error", code: "io", message: "bad sector", path: "/a.html" };
    writeFileSync(file, JSON.stringify({ ...run, errors: 2, troubles: [trouble] }));
    const status = await statusOf(site);
    assert.deepEqual([status.status, codesOf(status)], ["warning", ["warning files-failed"]]);
    assert.match(status.problems[0]?.message ?? "", /^2 items failed .*\/a\.html: bad sector/);
  });

  it("lets a run work, tells who it is, and tells of one that hangs", async () => {
    using site = await publishedSite(1);
    const since = new Date(site.nowMs + hourMs).toISOString();
    const { pid } = process;
    writeFileSync(join(site.stateDir, "lock"), JSON.stringify({ pid, host: hostname(), since }));
    rmSync(join(site.publishedFolder, "index.gz"));
    const status = await statusOf(site);
    assert.deepEqual([status.running?.pid, codesOf(status)], [pid, []]);
    site.nowMs += 40 * hourMs;
    assert.deepEqual(codesOf(await statusOf(site, { maxAgeMs: 30 * hourMs })), ["critical stale", "warning run-hangs"]);
    writeFileSync(join(site.stateDir, "lock"), JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), since }));
    assert.equal((await statusOf(site)).running, undefined);
  });

  it("has the next run as systemd knows it, and none if systemd does not answer or the timer is off", async () => {
    const known = { timer: "tidemark-export@example.org.timer", atMs: 1_795_312_800_000 };
    const property = "NextElapseUSecRealtime";
    const rows = [
      [`[ "$2" = ${known.timer} ] && echo Id=a.timer && echo ${property}=@1795312800`, "https://example.org/", known],
      [`[ "$2" = ${known.timer} ] && echo ${property}=@1795312800`, "https://other.example/", undefined],
      ["echo no bus >&2; exit 1", "https://example.org/", undefined],
      [`echo ${property}=@1795312800`, "http://[::1]:8080/", undefined],
      ...["", "n/a", "@0"].map((time) => [`echo ${property}=${time}`, "https://example.org/", undefined] as const),
    ] as const;
    using folder = makeTempFolder();
    for (const [script, baseUrl, expected] of rows) {
      const status = await withSystemctl(script, () => readSiteStatus({ stateDir: folder.path, baseUrl }));
      assert.deepEqual(status.nextRun, expected, script);
    }
  });

  it("writes nothing", async () => {
    using site = await publishedSite(2);
    const before = [site.snapshot(site.folder), readdirSync(site.stateDir)];
    await statusOf(site);
    assert.deepEqual([site.snapshot(site.folder), readdirSync(site.stateDir)], before);
  });

  it("is not that of another site, nor of no site", async () => {
    using site = await publishedSite(1);
    await assert.rejects(statusOf(site, { baseUrl: "https://other.example/" }), { code: "bad-option" });
    assert.equal((await statusOf(site, { baseUrl: "https://example.org" })).status, "fine");
    await assert.rejects(readSiteStatus({}), { code: "bad-option" });
  });

  it("has a problem for each code, which tests have shown", () => {
    const shown = new Set(harms.flatMap(([, , codes]) => codes.map((code) => code.split(" ")[1])));
    assert.deepEqual(
      statusProblemCodes.filter((code) => !shown.has(code)),
      ["files-failed", "run-hangs"],
    );
  });
});
