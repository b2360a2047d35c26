import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { exitCodes } from "../../../src/cli/terminal/exit-code.ts";
import { IndexNowServer } from "../../indexnow/index-now-server.ts";
import { makeTempFolder, type TempFolder } from "../../temp-folder.ts";
import { type Ended, runProgram } from "../run-program.ts";

/** A site whose exports tell a search engine. */
class Told implements AsyncDisposable {
  readonly folder: TempFolder = makeTempFolder();
  readonly engine: IndexNowServer;
  readonly docroot: string = join(this.folder.path, "site");

  private constructor(engine: IndexNowServer) {
    this.engine = engine;
    mkdirSync(this.docroot);
  }

  static async open(): Promise<Told> {
    const told = new Told(await IndexNowServer.open());
    await told.export("first");
    return told;
  }

  async export(content: string, ...more: string[]): Promise<Ended> {
    writeFileSync(join(this.docroot, "a.html"), content);
    const state = join(this.folder.path, "state");
    const args = ["--base-url", "http://127.0.0.1:9/", "--state", state, "--index-now"];
    return await runProgram("export", this.docroot, ...args, "--index-now-endpoint", this.engine.url, ...more);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine[Symbol.asyncDispose]();
    this.folder[Symbol.dispose]();
  }
}

describe("tidemark export --index-now", () => {
  it("ends well where search engines take what they are told", async () => {
    await using told = await Told.open();
    told.engine.misdeeds.push({ status: 200 });
    const { code, stderr } = await told.export("second");
    assert.equal(code, exitCodes.done, stderr);
    assert.equal(told.engine.calls.length, 1);
  });

  it("ends with the code of failed items where they refuse it, and publishes all the same", async () => {
    await using told = await Told.open();
    told.engine.misdeeds.push({ status: 422 });
    const { code, stdout, stderr } = await told.export("second", "--json");
    assert.equal(code, exitCodes.itemsFailed, stderr);
    const summary = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    assert.deepEqual([summary.updated, summary.indexNow.refused], [1, 1]);
  });

  it("ends with the code of failed items where nobody can be told", async () => {
    await using told = await Told.open();
    const key = "0123456789abcdef";
    writeFileSync(join(told.docroot, `${key}.txt`), "of somebody else");
    const { code, stdout } = await told.export("second", "--index-now-key", key, "--json");
    assert.equal(code, exitCodes.itemsFailed);
    assert.match(stdout, /"code":"bad-option","message":"Changes were not submitted to search engines/);
  });
});
