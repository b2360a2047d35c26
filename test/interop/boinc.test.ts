import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { makeSigningKey, readSigningKey, signFile } from "../../src/fleet/boinc/code-signing.ts";
import { ListedUnits } from "../bench/boinc/listed-units.ts";
import { serveProject, type TestProject } from "../bench/boinc/project-server.ts";
import { cert, key } from "../http/own-certificate.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { findFreePort, startBoincClient } from "./boinc-client.ts";
import { findCli, runTidemark, startTidemark } from "./command.ts";
import { skipWithout } from "./programs.ts";

const sites = 48;
const wanted = 20;

// Of who has tidemark: the anonymous platform.
const ownApplication = {
  own_work: `#!/bin/sh
"${process.execPath}" "${findCli()}" work --in unit --out result --allow-private
echo 0 >boinc_finish_called
`,
  "app_info.xml": `<app_info>
<app>
<name>tidemark_work</name>
</app>
<file_info>
<name>own_work</name>
<executable/>
</file_info>
<app_version>
<app_name>tidemark_work</app_name>
<version_num>1</version_num>
<avg_ncpus>0.25</avg_ncpus>
<file_ref>
<file_name>own_work</file_name>
<main_program/>
</file_ref>
</app_version>
</app_info>
`,
};

/** Sites with addresses of their own, so that many are visited at the same time, of three pages each. */
async function serveSites(): Promise<AsyncDisposable & { readonly seeds: string }> {
  const server = createServer(({ url = "" }, response) => {
    if (!/^\/[12]?$/.test(url)) response.writeHead(404).end();
    else response.writeHead(200, { "Content-Type": "text/html" }).end('<p><a href="/1">one</a> <a href="/2">two</a>');
  });
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const seeds = Array.from({ length: sites }, (_, at) => `http://127.0.3.${at + 1}:${port}/\n`).join("");
  return {
    seeds,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Serves a project that is not as it should be to a client, until a line of the client's log. */
async function runRefused(change: Partial<TestProject>, until: RegExp): Promise<void> {
  using temp = makeTempFolder("boinc");
  const unit = { name: "unit-0", bytes: Buffer.from("unit"), deadline: Date.now() + 3_600_000, maxResultBytes: 100 };
  const dispatcher = new ListedUnits([unit]);
  const program = 'import { writeFileSync } from "node:fs"; writeFileSync("result", "done");';
  const given = { folder: join(temp.path, "project"), program, signingKey: makeSigningKey(), dispatcher, ...change };
  await using server = await serveProject(given);
  const { somebody = "" } = server.accountKeys;
  const client = await startBoincClient(join(temp.path, "client"), server.url, somebody, cert);
  try {
    await client.waitFor(() => until.test(client.log()), 60_000);
  } finally {
    await client.stop();
  }
  assert.equal(dispatcher.results.size, 0);
  assert.doesNotMatch(client.log(), /Starting task/);
}

// Most of the time is the client's own: it sends a request every few seconds at most. So all run at the same time.
describe("Debian's BOINC client", { skip: skipWithout("boinc"), concurrency: true, timeout: 150_000 }, () => {
  it("does 20 units by the signed application, and another one by its own (anonymous platform)", async () => {
    using temp = makeTempFolder("boinc");
    await using web = await serveSites();
    const inFolder = (name: string): string => join(temp.path, name);
    writeFileSync(inFolder("seeds"), web.seeds);
    writeFileSync(inFolder("cert.pem"), cert);
    writeFileSync(inFolder("key.pem"), key);
    mkdirSync(inFolder("web"));
    const made = await runTidemark([
      ...["volunteers", "init", inFolder("web"), "--user-agent", "TestBot/1.0 (+https://example.org/bot)"],
      ...["--volunteer", "ann", "--volunteer", "bob", "--boinc", inFolder("signing.pem"), "--json"],
    ]);
    assert.equal(made.exitCode, 0, made.stderr);
    const port = await findFreePort();
    const url = `https://127.0.0.1:${port}/`;
    const results = new Map<string, string[]>([
      ["ann", []],
      ["bob", []],
    ]);
    const serving = startTidemark([
      ...["volunteers", "serve", inFolder("web"), "--seeds", inFolder("seeds"), "--listen", `127.0.0.1:${port}`],
      ...["--cert", inFolder("cert.pem"), "--cert-key", inFolder("key.pem"), "--boinc-url", url, "--boinc-delay", "1s"],
      ...["--allow-private", "--volunteer-units", "24", "--crawl-delay", "100ms", "--rest", "1s", "--json"],
    ]);
    let rest = "";
    let isListening = false;
    let isJudged = false;
    serving.child.stdout?.on("data", (piece: Buffer) => {
      const lines = `${rest}${piece.toString()}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const { event, volunteer, outcome } = JSON.parse(line) as Record<string, string>;
        if (event === "listening") isListening = true;
        isJudged ||= event === "volunteer-judged";
        if (event === "boinc-result") results.get(volunteer ?? "")?.push(outcome ?? "");
      }
    });
    while (!isListening && serving.child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 50));
    const keyOf = (name: string): string =>
      readFileSync(join(temp.path, "web", "keys", `${name}.boinc`), "utf8").trim();
    const ann = await startBoincClient(inFolder("ann"), url, keyOf("ann"), cert);
    const bob = await startBoincClient(inFolder("bob"), url, keyOf("bob"), cert, ownApplication);
    const isDone = (): boolean => isJudged && [...results.values()].every((outcomes) => outcomes.length >= wanted);
    try {
      await ann.waitFor(isDone, 120_000);
    } catch (error) {
      throw new Error(`${JSON.stringify([...results])}\n${bob.log()}\n${ann.log()}`, { cause: error });
    } finally {
      await Promise.all([ann.stop(), bob.stop()]);
      serving.child.kill("SIGTERM");
    }
    const { events } = await serving.result;
    for (const outcomes of results.values()) assert.deepEqual(new Set(outcomes), new Set(["accepted"]));
    assert.doesNotMatch(bob.log(), /download of tidemark_work/);
    // Each had copies of units of the other one, and they agree.
    const judged = events.filter(({ event }) => event === "volunteer-judged");
    assert.ok(judged.length > 0 && judged.every(({ verdict }) => verdict === "right"), JSON.stringify(judged));
  });

  it("runs no application that another key signed", async () => {
    const forger = readSigningKey(makeSigningKey());
    const change: TestProject["change"] = ({ application }) => {
      const platforms = Object.entries(application.platforms).map(([platform, files]) => [
        platform,
        files.map((file) => ({ ...file, signature: signFile(file.md5, forger) })),
      ]);
      return { application: { ...application, platforms: Object.fromEntries(platforms) } };
    };
    await runRefused({ change }, /signature verification error/i);
  });

  it("runs no task whose unit has another MD5", async () => {
    const spoil = (path: string, bytes: Uint8Array): Uint8Array =>
      path.startsWith("/boinc/unit/") ? bytes.map((byte) => byte ^ 1) : bytes;
    await runRefused({ spoil }, /MD5 check failed/i);
  });
});
