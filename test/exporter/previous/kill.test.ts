import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startProgram } from "../../cli/run-program.ts";
import { listenSite } from "../../site-server.ts";
import { PublishedReader } from "../publish/published-reader.ts";
import { CleanBuilds } from "./clean-builds.ts";

test("a program that is killed while it reads what is published is made up for by the next run", async () => {
  using builds = new CleanBuilds();
  let stall: (() => void) | undefined;
  let asked = 0;
  await using server = await listenSite((request, response) => {
    asked += 1;
    const path = join(builds.served, request.url ?? "/");
    // The request that it is killed in is never answered.
    if (asked > 6 && stall !== undefined) stall();
    else if (existsSync(path)) response.writeHead(200).end(readFileSync(path));
    else response.writeHead(404).end();
  });
  const site = `${server.origin}/`;
  const pages = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`${at}.html`, `<p>${at}`]));
  const first = await builds.build(site, pages, { previousOptional: true, segmentSize: 4 });
  builds.deploy();
  pages["7.html"] = "<p>changed";
  builds.prepare(pages);
  asked = 0;
  const reached = new Promise<void>((resolve) => {
    stall = resolve;
  });
  const options = ["--base-url", site, "--previous", site, "--state", builds.stateDir, "--segment-size", "4"];
  const child = startProgram(["export", builds.dist, ...options]);
  await reached;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
  stall = undefined;
  const placed = readdirSync(join(builds.dist, ".well-known/tidemark")).filter((name) => name.endsWith(".gz"));
  assert.ok(placed.length >= 4 && !placed.includes("index.gz"), "some archives are there, and no index lists them");
  const listed = new PublishedReader(builds.served).listed.length;
  asked = 0;
  const { summary } = await builds.export(site, { segmentSize: 4 });
  assert.equal(asked, 1 + listed - placed.length, "what is there is not requested again");
  assert.deepEqual([summary.epoch, summary.updated, summary.created], [first.summary.epoch, 1, 0]);
  assert.equal(new PublishedReader(builds.dist).index.pages, 40);
});
