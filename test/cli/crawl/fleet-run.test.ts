import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { exitCodes } from "../../../src/cli/terminal/exit-code.ts";
import { listenNames } from "../../dns-server.ts";
import { listenSite } from "../../site-server.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { runProgram } from "../run-program.ts";

describe("tidemark crawl --fleet --web", () => {
  it("says by its exit code that a seed cannot be reached, but not that another site cannot", async () => {
    await using site = await listenSite(({ url }, response) => {
      if (url !== "/") return void response.writeHead(404).end();
      response.setHeader("content-type", "text/html").end("<a href=http://linked.invalid/>linked</a>");
    });
    await using names = await listenNames(() => []);
    using temp = makeTempFolder();
    for (const [name, seeds, code, stderr] of [
      ["a", [`${site.origin}/`], exitCodes.done, /^(?!.*warning)/s],
      [
        "b",
        [`${site.origin}/`, "http://seed.invalid/"],
        exitCodes.itemsFailed,
        /warning: http:\/\/seed\.invalid: .* no address/,
      ],
    ] as const) {
      const [file, fleet, into] = ["seeds", "fleet.db", "crawl"].map((what) => join(temp.path, `${name}-${what}`)) as [
        string,
        string,
        string,
      ];
      writeFileSync(file, seeds.map((seed) => `${seed}\n`).join(""));
      const args = ["--web", file, "--fleet", fleet, "--into", into, "--keep", "none", "--name-server", names.address];
      const ended = await runProgram("crawl", ...args);
      assert.equal(ended.code, code, ended.stderr);
      assert.match(ended.stderr, stderr);
    }
  });
});
