import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { makeSigningKey } from "../../../src/fleet/boinc/code-signing.ts";
import { ListedUnits } from "../../bench/boinc/listed-units.ts";
import { type ProjectServer, serveProject } from "../../bench/boinc/project-server.ts";
import {
  ask,
  type GivenTask,
  readTasks,
  type Spoken,
  textsOf,
  writeSchedulerRequest,
  writeUpload,
} from "../../bench/boinc/spoken.ts";
import { makeTempFolder, type TempFolder } from "../../temp-folder.ts";

const startMs = Date.UTC(2026, 0, 1);
const hourMs = 3_600_000;
const signingKey = makeSigningKey();

interface Trial extends AsyncDisposable {
  readonly temp: TempFolder;
  readonly server: ProjectServer;
  readonly units: ListedUnits;
  readonly key: string;
  readonly other: string;
  now: number;
  schedule(spoken: Omit<Spoken, "key"> & { readonly key?: string }): Promise<string>;
  upload(body: Uint8Array): Promise<string | undefined>;
}

async function makeTrial(count = 3): Promise<Trial> {
  const temp = makeTempFolder("boinc");
  const units = new ListedUnits(
    Array.from({ length: count }, (_, at) => ({
      name: `unit-${at}`,
      bytes: Buffer.from(`the pages of unit ${at}`),
      deadline: startMs + hourMs,
      maxResultBytes: 1000,
    })),
  );
  const now = (): number => trial.now;
  const server = await serveProject({ folder: temp.path, signingKey, dispatcher: units, now });
  const { somebody: key = "", another: other = "" } = server.accountKeys;
  const trial: Trial = {
    temp,
    server,
    units,
    key,
    other,
    now: startMs,
    async schedule(spoken) {
      const answer = await ask(`${server.url}boinc/scheduler`, writeSchedulerRequest({ key, ...spoken }));
      assert.equal(answer.status, 200);
      return answer.text;
    },
    async upload(body) {
      const { text } = await ask(`${server.url}boinc/file_upload_handler`, body);
      return textsOf(text, "status")[0];
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      temp[Symbol.dispose]();
    },
  };
  return trial;
}

function outcomesIn({ server }: Trial): Array<string | undefined> {
  return server.events.map((event) => (event.event === "boinc-result" ? `${event.task} ${event.outcome}` : undefined));
}

/** Lets a new host have its first task. */
async function takeTask(trial: Trial): Promise<{ reply: string; task: GivenTask }> {
  const reply = await trial.schedule({});
  const [task] = readTasks(reply);
  assert.ok(task);
  return { reply, task };
}

describe("a client that has an account key", () => {
  it("gets a task, its files, and is acknowledged", async () => {
    await using trial = await makeTrial();
    const { reply, task } = await takeTask(trial);
    assert.deepEqual(textsOf(reply, "hostid"), ["1"]);
    assert.equal((await ask(task.inputUrl)).text, "the pages of unit 0");
    const main = await ask(`${trial.server.url}boinc/application/tidemark_work_1_x86_64-pc-linux-gnu`);
    const [md5] = textsOf(reply, "md5_cksum");
    assert.equal(createHash("md5").update(main.body).digest("hex"), md5);
    const script = await ask(`${trial.server.url}boinc/application/tidemark_work_1.mjs`);
    assert.equal(script.text, "// a program\n");
    const native = await ask(`${trial.server.url}boinc/application/tidemark_work_1_x86_64-pc-linux-gnu.node`);
    assert.equal(native.text, "native");
    const result = Buffer.from("all of it");
    assert.equal(await trial.upload(writeUpload(task, result)), "0");
    const end = await trial.schedule({ host: 1, seqno: 0, seconds: 0, done: ["unit-0"] });
    assert.match(end, /<result_ack>\n<name>unit-0<\/name>\n<\/result_ack>/);
    assert.deepEqual([...trial.units.results], [["unit-0", result]]);
    assert.deepEqual(readdirSync(trial.server.project.uploadFolder), []);
    assert.equal((await ask(task.inputUrl)).status, 404);
  });

  it("gets as many tasks as fill its time", async () => {
    await using trial = await makeTrial(9);
    // A quarter of the hour until the deadline is what a task is taken for.
    assert.equal(readTasks(await trial.schedule({ seconds: 3 * 900 })).length, 3);
    assert.equal(readTasks(await trial.schedule({ seconds: 1e9 })).length, 6);
    assert.match(await trial.schedule({ seconds: 1 }), /There is no work now/);
    assert.equal(readTasks(await trial.schedule({ seconds: 0 })).length, 0);
  });

  it("goes on if the file that it uploaded is gone", async () => {
    await using trial = await makeTrial();
    const { task } = await takeTask(trial);
    assert.equal(await trial.upload(writeUpload(task, Buffer.from("all of it"))), "0");
    const folder = trial.server.project.uploadFolder;
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    const end = await trial.schedule({ host: 1, seqno: 0, seconds: 0, done: ["unit-0"] });
    assert.match(end, /<result_ack>\n<name>unit-0<\/name>\n<\/result_ack>/);
    assert.deepEqual(trial.units.failed, ["unit-0"]);
  });

  it("is told the public key once", async () => {
    await using trial = await makeTrial();
    const { reply } = await takeTask(trial);
    const key = /<code_sign_key>\n([^<]*)<\/code_sign_key>/.exec(reply)?.[1] ?? "";
    assert.match(key, /^1024\n(?:[\da-f]{64}\n){8}\.\n$/);
    const more = `<code_sign_key>\n${key}</code_sign_key>`;
    const again = await trial.schedule({ host: 1, more, held: ["unit-0"] });
    assert.doesNotMatch(again, /<code_sign_key>/);
    assert.equal(readTasks(again).length, 1);
    const other = await trial.schedule({
      host: 1,
      seqno: 1,
      more: more.replace("1024\n", "1024\n00"),
      held: ["unit-0"],
    });
    assert.match(other, /another signing key/);
    assert.equal(readTasks(other).length, 0);
  });

  it("gets again what it lost with a reply", async () => {
    await using trial = await makeTrial();
    const { task } = await takeTask(trial);
    assert.deepEqual(readTasks(await trial.schedule({ host: 1 })), [task]);
    assert.deepEqual(readTasks(await trial.schedule({ host: 1, seqno: 1, held: ["unit-0"] }))[0]?.name, "unit-1");
  });

  it("may bring its own application", async () => {
    await using trial = await makeTrial();
    const version = (name: string, num: number): string =>
      `<app_version>\n<app_name>${name}</app_name>\n<version_num>${num}</version_num>\n<platform>my-own</platform>\n</app_version>\n`;
    const more = `<app_versions>\n${version("tidemark_work", 2)}${version("tidemark_work", 7)}${version("other", 9)}</app_versions>`;
    const reply = await trial.schedule({ platform: "anonymous", more });
    assert.doesNotMatch(reply, /<app_version>|<file_signature>/);
    const [, result = ""] = reply.split("<result>");
    assert.deepEqual([textsOf(result, "platform"), textsOf(result, "version_num")], [["my-own"], ["7"]]);
    assert.match(await trial.schedule({ platform: "anonymous" }), /no tidemark_work for this platform/);
  });

  it("gets nothing for a platform on which the application does not run", async () => {
    await using trial = await makeTrial();
    assert.match(await trial.schedule({ platform: "windows_x86_64" }), /no tidemark_work for this platform/);
    const more = "<alt_platform>\n<name>x86_64-pc-linux-gnu</name>\n</alt_platform>";
    assert.equal(readTasks(await trial.schedule({ platform: "arm-android", more })).length, 1);
  });

  it("waits longer after each failure, and then gets one task", async () => {
    await using trial = await makeTrial(9);
    await trial.schedule({ seconds: 2700 });
    const reply = await trial.schedule({ host: 1, seconds: 2700, failed: ["unit-0", "unit-1"], held: ["unit-2"] });
    assert.deepEqual(textsOf(reply, "request_delay"), ["4"]);
    assert.deepEqual(
      readTasks(reply).map(({ name }) => name),
      ["unit-3"],
    );
    assert.deepEqual(trial.units.failed, ["unit-0", "unit-1"]);
    assert.equal(await trial.upload(writeUpload(readTasks(reply)[0] as GivenTask, Buffer.from("x"))), "0");
    const better = await trial.schedule({ host: 1, seqno: 1, seconds: 1, done: ["unit-3"], held: ["unit-2"] });
    assert.deepEqual(textsOf(better, "request_delay"), ["1"]);
  });

  it("goes on with a download and an upload that broke off", async () => {
    await using trial = await makeTrial();
    const { task } = await takeTask(trial);
    const rest = await ask(task.inputUrl, undefined, { headers: { range: "bytes=4-" } });
    assert.deepEqual(
      [rest.status, rest.text, rest.headers["content-range"]],
      [206, "pages of unit 0", "bytes 4-18/19"],
    );
    assert.equal((await ask(task.inputUrl, undefined, { headers: { range: "bytes=19-" } })).status, 416);
    const data = Buffer.from("first half, second half");
    const md5 = createHash("md5").update(data).digest("hex");
    const size = `<data_server_request>\n<get_file_size>${task.outputName}</get_file_size>\n</data_server_request>\n`;
    const sizeOf = async () =>
      textsOf((await ask(`${trial.server.url}boinc/file_upload_handler`, size)).text, "file_size");
    assert.deepEqual(await sizeOf(), ["0"]);
    const part = { sizeBytes: data.length, md5 };
    assert.equal(await trial.upload(writeUpload(task, data.subarray(0, 10), part)), "1");
    assert.deepEqual(await sizeOf(), ["10"]);
    assert.equal(await trial.upload(writeUpload(task, data.subarray(12), { ...part, offset: 12 })), "1");
    assert.equal(await trial.upload(writeUpload(task, data.subarray(8), { ...part, offset: 8 })), "0");
    assert.deepEqual(readFileSync(join(trial.server.project.uploadFolder, task.outputName)), data);
  });

  it("uploads again what came damaged", async () => {
    await using trial = await makeTrial();
    const { task } = await takeTask(trial);
    const md5 = createHash("md5").update("good").digest("hex");
    assert.equal(await trial.upload(writeUpload(task, Buffer.from("bad!"), { md5 })), "1");
    assert.equal(await trial.upload(writeUpload(task, Buffer.from("good"))), "0");
  });
});

describe("results that are refused", () => {
  const data = Buffer.from("a result");

  it("an upload without a certificate, with that of another file or for more bytes, or of too many bytes", async () => {
    await using trial = await makeTrial();
    const [task, next] = readTasks(await trial.schedule({ seconds: 1800 })) as [GivenTask, GivenTask];
    const refused = async (change: Parameters<typeof writeUpload>[2], bytes: Uint8Array = data) =>
      assert.equal(await trial.upload(writeUpload(task, bytes, change)), "-1", JSON.stringify(change));
    await refused({ certificate: "" });
    await refused({ certificate: "0".repeat(64) });
    await refused({ certificate: next.certificate });
    await refused({ outputName: next.outputName });
    await refused({ maxBytes: 2000 });
    await refused({}, Buffer.alloc(1001));
    await refused({ sizeBytes: 4 });
    await refused({ offset: 9 });
    assert.deepEqual(
      readdirSync(trial.server.project.uploadFolder).filter((name) => name !== task.outputName),
      [],
    );
    await trial.schedule({ host: 1, seconds: 0, done: ["unit-0"], held: ["unit-1"] });
    assert.deepEqual(outcomesIn(trial).at(-1), "unit-0 failed");
  });

  it("a result that is late", async () => {
    await using trial = await makeTrial();
    const { task } = await takeTask(trial);
    assert.equal(await trial.upload(writeUpload(task, data)), "0");
    trial.now += hourMs + 1;
    assert.equal(await trial.upload(writeUpload(task, data)), "-1");
    await trial.schedule({ host: 1, seconds: 0, done: ["unit-0"] });
    assert.deepEqual(outcomesIn(trial).at(-1), "unit-0 late");
  });

  it("a second result, or a second upload with other bytes", async () => {
    await using trial = await makeTrial();
    const { task } = await takeTask(trial);
    assert.equal(await trial.upload(writeUpload(task, data)), "0");
    assert.equal(await trial.upload(writeUpload(task, Buffer.from("another"))), "-1");
    await trial.schedule({ host: 1, seconds: 0, done: ["unit-0"] });
    assert.equal(await trial.upload(writeUpload(task, data)), "-1");
    const reply = await trial.schedule({ host: 1, seqno: 1, seconds: 0, done: ["unit-0"] });
    assert.match(reply, /<result_ack>\n<name>unit-0/);
    assert.deepEqual(outcomesIn(trial).at(-1), "unit-0 duplicate");
    assert.deepEqual([...trial.units.results.keys()], ["unit-0"]);
  });

  it("a task of somebody else, or one that was never given", async () => {
    await using trial = await makeTrial();
    const { task } = await takeTask(trial);
    assert.equal(await trial.upload(writeUpload(task, data)), "0");
    await trial.schedule({ key: trial.other, seconds: 0, done: ["unit-0", "unit-99"], failed: ["unit-0"] });
    assert.deepEqual(outcomesIn(trial).slice(-3), ["unit-0 unknown", "unit-99 unknown", "unit-0 unknown"]);
    assert.deepEqual([trial.units.results.size, trial.units.failed.length], [0, 0]);
    await trial.schedule({ host: 1, seconds: 0, done: ["unit-0"] });
    assert.equal(trial.units.results.size, 1);
  });

  it("a request that was sent before: nothing is acknowledged or given, and the host gets another number", async () => {
    await using trial = await makeTrial();
    const { task } = await takeTask(trial);
    await trial.schedule({ host: 1, seqno: 5, seconds: 0, held: ["unit-0"] });
    assert.equal(await trial.upload(writeUpload(task, data)), "0");
    for (const seqno of [5, 4]) {
      const reply = await trial.schedule({ host: 1, seqno, seconds: 900, done: ["unit-0"] });
      assert.match(reply, /not newer than the last one/);
      assert.doesNotMatch(reply, /<result_ack>|<workunit>/);
    }
    assert.equal(trial.units.results.size, 0);
    const reply = await trial.schedule({ host: 3, seqno: 0, seconds: 0, done: ["unit-0"] });
    assert.match(reply, /<result_ack>/);
  });

  it("a host of another account", async () => {
    await using trial = await makeTrial();
    await takeTask(trial);
    const reply = await trial.schedule({ key: trial.other, host: 1, seqno: 9 });
    assert.deepEqual(textsOf(reply, "hostid"), ["2"]);
    assert.equal(readTasks(await trial.schedule({ host: 1, seqno: 1 }))[0]?.name, "unit-0");
  });
});

describe("who has no account key", () => {
  it("gets no work", async () => {
    await using trial = await makeTrial();
    const reply = await trial.schedule({ key: "0".repeat(32) });
    assert.match(reply, /No account has this account key/);
    assert.doesNotMatch(reply, /<workunit>|<hostid>|<app>/);
    assert.deepEqual(
      trial.server.events.map(({ event }) => event),
      ["boinc-refused"],
    );
  });

  it("gets no unit, whatever is asked for", async () => {
    await using trial = await makeTrial();
    const { task } = await takeTask(trial);
    const token = task.inputUrl.slice(-32);
    for (const path of [
      "boinc/unit/unit-0",
      "boinc/unit/unit-0/",
      `boinc/unit/unit-0/${"0".repeat(32)}`,
      `boinc/unit/unit-1/${token}`,
      `boinc/unit/unit-0/${token}/x`,
      `boinc/unit/unit-0/${token.slice(1)}`,
      `boinc/file_upload_handler/${task.outputName}`,
      `boinc/uploads/${task.outputName}`,
      `boinc/application/../secret`,
      "boinc/application/%2e%2e/secret",
      "boinc/application/..%2fsecret",
      "boinc/application/application.json",
    ])
      assert.equal((await ask(`${trial.server.url}${path}`)).status, 404, path);
  });

  it("finds the project, and by name and key the account", async () => {
    await using trial = await makeTrial();
    const { url } = trial.server;
    assert.match((await ask(url)).text, new RegExp(`^<scheduler>${url}boinc/scheduler</scheduler>$`, "m"));
    assert.deepEqual(textsOf((await ask(`${url}get_project_config.php`)).text, "master_url"), [url]);
    const lookUp = async (email: string, hash: string) =>
      textsOf((await ask(`${url}lookup_account.php?email_addr=${email}&passwd_hash=${hash}`)).text, "authenticator");
    const hashOf = (email: string): string => createHash("md5").update(`${trial.key}${email}`).digest("hex");
    assert.deepEqual(await lookUp("somebody", hashOf("somebody")), [trial.key]);
    assert.deepEqual(await lookUp("Somebody@mail.example", hashOf("somebody@mail.example")), [trial.key]);
    assert.deepEqual(await lookUp("somebody", hashOf("another")), []);
    assert.deepEqual(await lookUp("nobody", hashOf("nobody")), []);
    assert.deepEqual(await lookUp("", ""), []);
    assert.deepEqual(textsOf((await ask(`${url}create_account.php?email_addr=a`)).text, "error_num"), ["-208"]);
  });

  it("is refused what is no request", async () => {
    await using trial = await makeTrial();
    const scheduler = `${trial.server.url}boinc/scheduler`;
    assert.equal((await ask(scheduler, "no XML")).status, 400);
    assert.equal((await ask(scheduler)).status, 404);
    assert.equal((await ask(scheduler, "", { method: "PUT" })).status, 404);
    assert.equal((await ask(trial.server.url, "")).status, 404);
    assert.equal((await ask(scheduler, " ".repeat(1024 * 1024 + 1))).status, 413);
  });
});

describe("the server's own folder", () => {
  it("keeps a task for a week after its deadline, and what was uploaded of it", async () => {
    await using trial = await makeTrial();
    const { task } = await takeTask(trial);
    await trial.upload(writeUpload(task, Buffer.from("x")));
    const later = async (days: number): Promise<readonly string[]> => {
      trial.now = startMs + hourMs + days * 24 * hourMs;
      await trial.schedule({ seconds: 0 });
      return readdirSync(trial.server.project.uploadFolder);
    };
    assert.equal((await later(6)).length, 1);
    assert.deepEqual(await later(8), []);
  });

  it("does not serve an application that is not as it was signed", async () => {
    const temp = makeTempFolder("boinc");
    const given = { folder: temp.path, signingKey, dispatcher: new ListedUnits([]) };
    await (await serveProject(given))[Symbol.asyncDispose]();
    const file = join(temp.path, "boinc", "application", "tidemark_work_1.mjs");
    writeFileSync(file, "another program");
    await assert.rejects(serveProject(given), { code: "state-corrupt" });
    temp[Symbol.dispose]();
  });
});
