import { join } from "node:path";
import { test } from "node:test";
import { makeSigningKey } from "../../src/fleet/boinc/code-signing.ts";
import { inviteAccount } from "../../src/fleet/boinc/project-folder.ts";
import { ListedUnits } from "../fleet/boinc/listed-units.ts";
import { serveProject } from "../fleet/boinc/project-server.ts";
import { cert } from "../http/own-certificate.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { startBoincClient } from "./boinc-client.ts";
import { skipWithout } from "./programs.ts";

const program = Buffer.from(
  'import { readFileSync, writeFileSync } from "node:fs"; writeFileSync("result", `result of ${readFileSync("unit")}`);',
);

test("Debian's BOINC client does 20 tasks", { skip: skipWithout("boinc"), timeout: 120_000 }, async () => {
  using temp = makeTempFolder("boinc");
  const deadline = Date.now() + 3_600_000;
  const units = Array.from({ length: 20 }, (_, at) => ({
    name: `unit-${at}`,
    bytes: Buffer.from(`${at}`),
    deadline,
    maxResultBytes: 1024,
  }));
  const dispatcher = new ListedUnits(units);
  await using server = await serveProject({ folder: temp.path, program, signingKey: makeSigningKey(), dispatcher });
  const accountKey = inviteAccount(server.project, "somebody");
  const client = await startBoincClient(join(temp.path, "client"), server.url, accountKey, cert);
  const start = Date.now();
  try {
    while (dispatcher.results.size < 20 && Date.now() < start + 60_000) await new Promise((r) => setTimeout(r, 200));
  } finally {
    await client.stop();
    console.log(client.log().slice(-6000), server.events, Date.now() - start);
  }
});
