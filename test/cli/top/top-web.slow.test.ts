import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { exitCodes } from "../../../src/cli/terminal/exit-code.ts";
import { formatWebTop } from "../../../src/cli/top/top-text.ts";
import type { WebStatus } from "../../../src/crawler/index.ts";
import { listenSite } from "../../site-server.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { endOf, runProgram, startProgram } from "../run-program.ts";

const status: WebStatus = {
  ...{ version: 1, pid: 7, host: "box", startedMs: 0, writtenMs: 60_000, open: 3, elapsedMs: 60_000 },
  ...{ requestsPerSecond: 12, bytesPerSecond: 2048, sites: 40, unresolvedSites: 2, unreachableSites: 1, urls: 900 },
  ...{ waiting: 300, done: 600, heldBack: { "out-of-scope": 5, "domain-sites": 8, trap: 4 }, knownSites: 30 },
  ...{ visits: 60, newRequests: 590, knownRequests: 66, changed: 9, pages: 580, failed: 10, requests: 700 },
  ...{ bytes: 1_000_000, links: 5000 },
};

describe("tidemark top of a crawl of the Web", () => {
  it("says what waits, what was held back as a trap, and how requests are divided", () => {
    const view = { columns: 200, unicode: false, isBold: false, now: 60_000 };
    const shown = (more: Partial<WebStatus>): string =>
      formatWebTop({ status: { ...status, ...more }, ageMs: 0, isBusy: false }, view).join("\n");
    const text = shown({});
    assert.match(text, /^sites +40: 3 open, 2 without an address, 1 given up$/m);
    assert.match(text, /^URLs +900: 600 done, 300 waiting$/m);
    assert.match(text, /^held back +8 to more sites of a domain than --max-domain-sites; 4 into traps$/m);
    assert.doesNotMatch(text, /revisits|out of scope/);
    assert.match(
      shown({ newShare: 0.7 }),
      /^revisits .*590 requests for new pages, 66 by visits; 70 % for new pages now$/m,
    );
  });

  it("shows a crawl that goes on, which goes on after a kill as well, until it is ended", async () => {
    await using site = await listenSite((_, response) => {
      response.setHeader("content-type", "text/html").end("<a href=/a>a</a>");
    });
    using temp = makeTempFolder();
    const into = join(temp.path, "web");
    const seeds = join(temp.path, "seeds");
    writeFileSync(seeds, `${site.origin}/\n`);
    const none = await runProgram("top", into, "--once");
    assert.equal(none.code, exitCodes.broken);
    for (const signal of ["SIGKILL", "SIGTERM"] as const) {
      const program = startProgram(["crawl", "--web", seeds, "--into", into, "--forever", "--json"]);
      const late = setTimeout(() => program.kill("SIGKILL"), 20_000);
      assert.ok(program.stdout !== null);
      let last: {
        readonly event?: string;
        readonly done?: number;
        readonly knownSites?: number;
        readonly end?: string;
      } = {};
      let isShown = false;
      for await (const line of createInterface({ input: program.stdout })) {
        last = JSON.parse(line);
        if (isShown || last.event !== "web-progress" || last.done !== 2 || last.knownSites !== 1) continue;
        isShown = true;
        const look = await runProgram("top", into, "--once");
        assert.match(look.stdout, /^URLs +2: 2 done, 0 waiting$/m);
        assert.match(look.stdout, /^revisits /m);
        const { stdout } = await runProgram("top", into, "--json");
        assert.equal(JSON.parse(stdout).done, 2);
        program.kill(signal);
        if (signal === "SIGKILL") break;
      }
      const { code } = await endOf(program);
      clearTimeout(late);
      if (signal === "SIGTERM") assert.deepEqual([code, last.end], [exitCodes.done, "stopped"]);
    }
    const after = await runProgram("top", into, "--once");
    assert.equal(after.code, exitCodes.broken);
  });
});
