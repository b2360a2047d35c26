import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { after, before, describe, it } from "node:test";
import { runChanges } from "../../../src/cli/changes/changes-run.ts";
import { Output } from "../../../src/cli/terminal/output.ts";
import { TidemarkError } from "../../../src/core/error.ts";
import { exportSite } from "../../../src/exporter/export-site.ts";
import { serveFolder } from "../../../src/server/folder-server.ts";

describe("runChanges", () => {
  let folder = "";
  let server: Awaited<ReturnType<typeof serveFolder>>;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "tidemark-test-"));
    const docroot = join(folder, "site");
    await mkdir(docroot);
    await writeFile(join(docroot, "index.html"), "<p>hello");
    server = await serveFolder({ folder: docroot });
    await exportSite({ docroot, baseUrl: server.url, stateDir: join(folder, "state") });
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  function run(cursorFile: string, stdout: Writable): Promise<number> {
    const stop = new AbortController();
    const options = { url: server.url, cursorFile };
    return runChanges(
      { ...options, format: "urls" },
      {
        out: new Output(stdout, () => stop.abort()),
        err: new Output(new Writable({ write: (_chunk, _encoding, done) => done() }), () => undefined),
        input: () => Readable.from([]),
        json: false,
        quiet: true,
        signal: stop.signal,
      },
    );
  }

  it("moves the cursor only when everything has left the process", async () => {
    const cursorFile = join(folder, "patient");
    const { promise: written, resolve: wrote } = withResolver<undefined>();
    const { promise: released, resolve: release } = withResolver<undefined>();
    const write = (_chunk: unknown, _encoding: unknown, done: () => void): void => {
      wrote(undefined);
      void released.then(done);
    };
    const stdout = new Writable({ write });
    const running = run(cursorFile, stdout);
    await written;
    // Many turns of the event loop, with disk operations in them, in which the cursor could have been written.
    for (let turn = 0; turn < 300; turn++) await stat(folder);
    assert.ok(!existsSync(cursorFile));
    release(undefined);
    assert.equal(await running, 0);
    assert.ok(existsSync(cursorFile));
  });

  it("does not move the cursor when the output cannot be written", async () => {
    const cursorFile = join(folder, "full");
    const error = Object.assign(new Error("full"), { code: "ENOSPC" });
    const stdout = new Writable({ write: (_chunk, _encoding, done) => setImmediate(done, error) });
    await assert.rejects(run(cursorFile, stdout), (thrown) => {
      return thrown instanceof TidemarkError && ["disk-full", "aborted"].includes(thrown.code);
    });
    assert.ok(!existsSync(cursorFile));
  });
});

function withResolver<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
