import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { exitCodes } from "../../../src/cli/terminal/exit-code.ts";
import { formatWebTop } from "../../../src/cli/top/top-text.ts";
import type { WebStatus } from "../../../src/crawler/index.ts";
import { exampleWebStatus } from "../../example-status.ts";
import { listenSite } from "../../site-server.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { parseOpenMetrics } from "../open-metrics.ts";
import { endOf, runProgram, startProgram } from "../run-program.ts";

const status = exampleWebStatus();

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
      const program = startProgram(["crawl", "--web", seeds, "--into", into, "--forever", "--listen", "0", "--json"]);
      const late = setTimeout(() => program.kill("SIGKILL"), 20_000);
      assert.ok(program.stdout !== null);
      let last: {
        readonly event?: string;
        readonly done?: number;
        readonly knownSites?: number;
        readonly end?: string;
        readonly url?: string;
      } = {};
      let url: string | undefined;
      let isShown = false;
      for await (const line of createInterface({ input: program.stdout })) {
        last = JSON.parse(line);
        url ??= last.url;
        if (isShown || last.event !== "web-progress" || last.done !== 2 || last.knownSites !== 1) continue;
        isShown = true;
        const look = await runProgram("top", into, "--once");
        assert.match(look.stdout, /^URLs +2: 2 done, 0 waiting$/m);
        assert.match(look.stdout, /^revisits /m);
        const { stdout } = await runProgram("top", into, "--json");
        assert.equal(JSON.parse(stdout).done, 2);
        const accept = "application/openmetrics-text";
        const scraped = await fetch(`${url}/metrics`, { headers: { accept } });
        const { stdout: text } = await runProgram("top", into, "--openmetrics");
        for (const samples of [await scraped.text(), text].map(parseOpenMetrics)) {
          const value = (name: string) => samples.find((sample) => sample.name === `tidemark_web_${name}`)?.value;
          assert.deepEqual([value("up"), value("done_urls"), value("waiting_urls")], [1, 2, 0]);
        }
        program.kill(signal);
        if (signal === "SIGKILL") break;
      }
      const { code } = await endOf(program);
      clearTimeout(late);
      if (signal === "SIGTERM") assert.deepEqual([code, last.end], [exitCodes.done, "stopped"]);
      const after = await runProgram("top", into, "--openmetrics");
      assert.equal(after.code, exitCodes.broken);
      assert.deepEqual(
        parseOpenMetrics(after.stdout).map(({ name, value }) => [name, value]),
        ["tidemark_follower_up", "tidemark_web_up"].map((name) => [name, 0]),
      );
      const fate =
        signal === "SIGKILL" ? /Nobody crawls the Web into .* ended without saying so/ : /Nobody follows sites/;
      assert.match(after.stderr, fate);
    }
  });
});
