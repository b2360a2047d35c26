import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import { makeSigningKey } from "../../../src/fleet/boinc/code-signing.ts";
import { ListedUnits } from "../../bench/boinc/listed-units.ts";
import { type ProjectServer, serveProject } from "../../bench/boinc/project-server.ts";
import { ask, type GivenTask, readTasks, writeSchedulerRequest, writeUpload } from "../../bench/boinc/spoken.ts";
import { cert } from "../../http/own-certificate.ts";
import { createRandom } from "../../interop/random.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const seed = Number(process.env.TIDEMARK_SEED ?? 1);
const secretUnit = "pages that only one volunteer may know";
const secretResult = "links that only one volunteer has found";
const paths = [
  "/",
  "/get_project_config.php",
  "/lookup_account.php",
  "/create_account.php",
  "/boinc/scheduler",
  "/boinc/file_upload_handler",
  "/boinc/application/",
  "/boinc/unit/",
] as const;

/** Sends bytes as they are on a connection of their own and reads what comes back. */
async function sendRaw(url: string, bytes: Uint8Array): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket: TLSSocket = connect({ host: hostname, port: Number(port), ca: cert });
  let text = "";
  socket.on("data", (piece: Buffer) => {
    if (text.length < 1_000_000) text += piece.toString("latin1");
  });
  socket.on("error", () => undefined);
  socket.end(bytes);
  await new Promise((resolve) => socket.once("close", resolve));
  return text;
}

function makeRequest(method: string, path: string, body: Uint8Array): Buffer {
  const head = `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), body]);
}

interface Busy extends AsyncDisposable {
  readonly server: ProjectServer;
  readonly units: ListedUnits;
  readonly task: GivenTask;
  /** By how much the server's clock is ahead. */
  readonly late: { ms: number };
  readonly key: string;
}

/** A server of which one volunteer has a task, and has uploaded its result. */
async function serveBusy(folder: string): Promise<Busy> {
  const deadline = Date.now() + 3_600_000;
  const units = new ListedUnits(
    Array.from({ length: 50 }, (_, at) => ({
      name: `unit-${at}`,
      bytes: Buffer.from(secretUnit),
      deadline,
      maxResultBytes: 1000,
    })),
  );
  const late = { ms: 0 };
  const now = (): number => Date.now() + late.ms;
  const server = await serveProject({ folder, signingKey: makeSigningKey(), dispatcher: units, now });
  const { somebody: key = "" } = server.accountKeys;
  const { text } = await ask(`${server.url}boinc/scheduler`, writeSchedulerRequest({ key }));
  const [task] = readTasks(text);
  assert.ok(task);
  await ask(`${server.url}boinc/file_upload_handler`, writeUpload(task, Buffer.from(secretResult)));
  return { server, units, task, key, late, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test(`no request of a stranger gets work, reads what others have, or writes (seed ${seed})`, async () => {
  using temp = makeTempFolder("boinc");
  await using busy = await serveBusy(temp.path);
  const { server, units, task, key } = busy;
  const random = createRandom(seed);
  let fetches = 0;
  const trap = createServer((socket) => {
    fetches++;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(trap, "listening");
  const trapUrl = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/`;
  const stranger = "f".repeat(32);
  // What a stranger can know: all but the key, the certificate and the tokens.
  const known: GivenTask = { ...task, certificate: "0".repeat(64), outputName: `unit-0_${stranger}` };
  const seeds = [
    writeSchedulerRequest({ key: stranger, host: 1, seqno: 9, seconds: 1e6, done: ["unit-0"], failed: ["unit-0"] }),
    writeSchedulerRequest({ key: "", platform: "anonymous" }),
    writeUpload(known, Buffer.from("forged")),
    writeUpload({ ...known, outputName: task.outputName }, Buffer.from("forged")),
    writeUpload({ ...known, outputName: "../../../../tmp/forged" }, Buffer.from("forged")),
    `<data_server_request>\n<get_file_size>../secret</get_file_size>\n</data_server_request>\n`,
    `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "${trapUrl}x">]><scheduler_request>&x;</scheduler_request>`,
    "",
  ].map((text) => Buffer.from(text));
  const words = [
    "..",
    "%2e%2e",
    "/",
    "\\",
    "%00",
    "unit-0",
    "secret",
    "boinc.db",
    "uploads",
    task.outputName,
    "?",
    "&",
    trapUrl,
  ];
  const mutate = (bytes: Uint8Array): Buffer => {
    const changed = Buffer.from(bytes);
    for (let times = random.below(6); times > 0 && changed.length > 0; times--)
      changed[random.below(changed.length)] = random.below(256);
    const from = random.below(changed.length + 1);
    switch (random.below(5)) {
      case 0:
        return changed.subarray(0, from);
      case 1:
        return Buffer.concat([changed, changed.subarray(from)]);
      case 2:
        return Buffer.concat([
          changed.subarray(0, from),
          Buffer.from(words[random.below(words.length)] ?? ""),
          changed.subarray(from),
        ]);
      default:
        return changed;
    }
  };
  const before = readdirSync(temp.path, { recursive: true }).sort();
  for (let round = 0; round < 40; round++) {
    const requests = Array.from({ length: 10 }, () => {
      const method = ["GET", "POST", "POST", "PUT", "HEAD"][random.below(5)] ?? "";
      const path = `${paths[random.below(paths.length)]}${random.below(2) === 0 ? "" : (words[random.below(words.length)] ?? "")}`;
      const whole = makeRequest(method, path, mutate(seeds[random.below(seeds.length)] ?? Buffer.alloc(0)));
      return random.below(8) === 0 ? mutate(whole) : whole;
    });
    for (const answer of await Promise.all(requests.map((bytes) => sendRaw(server.url, bytes)))) {
      assert.doesNotMatch(answer, /<workunit>|<result_ack>|<authenticator>|<hostid>/);
      assert.ok(!answer.includes(secretUnit) && !answer.includes(secretResult) && !answer.includes(key));
    }
  }
  trap.close();
  assert.equal(fetches, 0, "the server connected to an address that a request named");
  assert.deepEqual(readdirSync(temp.path, { recursive: true }).sort(), before);
  assert.deepEqual([units.results.size, units.failed.length], [0, 0]);
  assert.equal(server.events.filter(({ event }) => event === "boinc-tasks").length, 1);
  // The volunteer's own work was not touched.
  const own = writeSchedulerRequest({ key, host: 1, seconds: 0, done: ["unit-0"] });
  assert.match((await ask(`${server.url}boinc/scheduler`, own)).text, /<result_ack>/);
  assert.equal(String(units.results.get("unit-0")), secretResult);
});

test("a volunteer reads and writes nothing of another one", async () => {
  using temp = makeTempFolder("boinc");
  await using busy = await serveBusy(temp.path);
  const { server, units, task } = busy;
  const { another: key = "" } = server.accountKeys;
  const scheduler = `${server.url}boinc/scheduler`;
  const { text } = await ask(scheduler, writeSchedulerRequest({ key }));
  const [mine] = readTasks(text);
  assert.ok(mine);
  const upload = async (change: Parameters<typeof writeUpload>[2]): Promise<string> =>
    (await ask(`${server.url}boinc/file_upload_handler`, writeUpload(mine, Buffer.from("forged"), change))).text;
  for (const outputName of [
    task.outputName,
    task.name,
    `../${mine.outputName}`,
    `${task.name}_${mine.outputName.slice(-32)}`,
  ])
    assert.match(await upload({ outputName }), /<status>-1</);
  const report = writeSchedulerRequest({ key, host: 2, seconds: 0, done: [task.name], failed: [task.name] });
  await ask(scheduler, report);
  assert.deepEqual([units.results.size, units.failed.length], [0, 0]);
});

test("bodies are bounded, and so is what is kept of a head that never ends", async () => {
  using temp = makeTempFolder("boinc");
  await using busy = await serveBusy(temp.path);
  const { server } = busy;
  const large = Buffer.alloc(4 * 1024 * 1024, "<a>");
  const before = process.memoryUsage().arrayBuffers;
  for (let round = 0; round < 10; round++)
    await Promise.all(
      ["/boinc/scheduler", "/boinc/file_upload_handler"].map((path) =>
        sendRaw(server.url, makeRequest("POST", path, large)),
      ),
    );
  const grown = process.memoryUsage().arrayBuffers - before;
  assert.ok(grown < 64 * 1024 * 1024, `${grown} bytes more`);
  assert.deepEqual(readdirSync(server.project.uploadFolder).length, 1);
});

test("no more bodies are read at the same time than fit the memory", async () => {
  using temp = makeTempFolder("boinc");
  await using busy = await serveBusy(temp.path);
  const { server } = busy;
  const { hostname, port } = new URL(server.url);
  const head = "POST /boinc/scheduler HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n<";
  const sockets = await Promise.all(
    Array.from({ length: 32 }, async () => {
      const socket = connect({ host: hostname, port: Number(port), ca: cert });
      socket.on("error", () => undefined);
      await once(socket, "secureConnect");
      await new Promise((resolve) => socket.write(head, resolve));
      return socket;
    }),
  );
  const status = async (): Promise<number> => (await ask(`${server.url}boinc/scheduler`, "no XML")).status;
  // The last of them may not have arrived yet.
  let found = await status();
  for (let times = 0; found !== 503 && times < 100; times++) found = await status();
  assert.equal(found, 503);
  busy.late.ms = 5000;
  assert.equal(await status(), 400);
  assert.equal(await status(), 400);
  busy.late.ms = 0;
  for (const socket of sockets) socket.destroy();
  for (let times = 0; found === 503 && times < 1000; times++) found = await status();
  assert.equal(found, 400);
});
