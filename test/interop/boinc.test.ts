import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { describe, it } from "node:test";
import { makeSigningKey, readSigningKey, signFile } from "../../src/fleet/boinc/code-signing.ts";
import { inviteAccount } from "../../src/fleet/boinc/project-folder.ts";
import type { AssignedUnit } from "../../src/fleet/volunteers/unit-dispatcher.ts";
import { ListedUnits } from "../bench/boinc/listed-units.ts";
import { serveProject, type TestProject } from "../bench/boinc/project-server.ts";
import { cert } from "../http/own-certificate.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { type BoincClient, startBoincClient } from "./boinc-client.ts";
import { skipWithout } from "./programs.ts";

const count = 20;
const program = Buffer.from(`import { readFileSync, writeFileSync } from "node:fs";
writeFileSync("result", "result of " + readFileSync("unit"));
`);

function listUnits(): AssignedUnit[] {
  const deadline = Date.now() + 3_600_000;
  return Array.from({ length: count }, (_, at) => ({
    name: `unit-${at}`,
    bytes: Buffer.from(`${at}`),
    deadline,
    maxResultBytes: 1024,
  }));
}

/** Serves a project to a client of its own until a line of the client's log, or all results are there. */
async function runClient(
  change: Partial<TestProject>,
  own: Readonly<Record<string, string | Uint8Array>>,
  until: RegExp | "results",
): Promise<{ readonly units: ListedUnits; readonly outcomes: readonly string[]; readonly log: string }> {
  using temp = makeTempFolder("boinc");
  const units = new ListedUnits(listUnits());
  const given = { folder: temp.path, program, signingKey: makeSigningKey(), dispatcher: units, ...change };
  await using server = await serveProject(given);
  const accountKey = inviteAccount(server.project, "somebody");
  const client: BoincClient = await startBoincClient(join(temp.path, "client"), server.url, accountKey, cert, own);
  try {
    await client.waitFor(() => (until === "results" ? units.results.size === count : until.test(client.log())), 85_000);
  } finally {
    await client.stop();
  }
  const outcomes = server.events.flatMap((event) => (event.kind === "task-reported" ? [event.outcome] : []));
  return { units, outcomes, log: client.log() };
}

function assertAllDone({ units, outcomes }: Awaited<ReturnType<typeof runClient>>): void {
  assert.deepEqual(outcomes, Array(count).fill("accepted"));
  for (let at = 0; at < count; at++) assert.equal(String(units.results.get(`unit-${at}`)), `result of ${at}`);
}

const ownApplication = {
  own_work: "#!/bin/sh\necho \"result of $(cat unit)\" | tr -d '\\n' >result\necho 0 >boinc_finish_called\n",
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

// Most of the time is the client's own: it sends a request every few seconds at most. So all run at the same time.
describe("Debian's BOINC client", { skip: skipWithout("boinc"), concurrency: true, timeout: 120_000 }, () => {
  it("attaches, fetches the signed application and 20 tasks, runs, uploads and reports them", async () => {
    assertAllDone(await runClient({}, {}, "results"));
  });

  it("does 20 tasks by an application of its own (anonymous platform)", async () => {
    const run = await runClient({}, ownApplication, "results");
    assertAllDone(run);
    assert.doesNotMatch(run.log, /download of tidemark_work/);
  });

  it("runs no application that another key signed", async () => {
    const forger = readSigningKey(makeSigningKey());
    const run = await runClient(
      {
        change: ({ application }) => {
          const files = application.files.map((file) => ({ ...file, signature: signFile(file.md5, forger) }));
          return { application: { ...application, files } };
        },
      },
      {},
      /signature verification error/i,
    );
    assert.equal(run.units.results.size, 0);
  });

  it("runs no task whose unit has another MD5", async () => {
    const spoil = (path: string, bytes: Uint8Array): Uint8Array =>
      path.startsWith("/boinc/unit/") ? bytes.map((byte) => byte ^ 1) : bytes;
    const run = await runClient({ spoil }, {}, /MD5 check failed/i);
    assert.equal(run.units.results.size, 0);
    assert.equal(createHash("md5").update("0").digest("hex"), "cfcd208495d565ef66e7dff9f98764da");
  });
});
