import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { findNextRun, parseNextElapse } from "../../../src/exporter/status/next-run.ts";
import { makeTempFolder } from "../../temp-folder.ts";

/** Puts a program named systemctl before all others while something is done. */
async function withSystemctl<T>(script: string, act: () => Promise<T>): Promise<T> {
  using folder = makeTempFolder();
  const file = join(folder.path, "systemctl");
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  const { PATH = "" } = process.env;
  process.env.PATH = `${folder.path}:${PATH}`;
  try {
    return await act();
  } finally {
    process.env.PATH = PATH;
  }
}

describe("the next run", () => {
  it("is when systemd says that the site's timer elapses", async () => {
    const script = '[ "$2" = tidemark-export@example.org.timer ] && echo NextElapseUSecRealtime=@1795312800';
    assert.deepEqual(await withSystemctl(script, () => findNextRun("https://example.org/")), {
      timer: "tidemark-export@example.org.timer",
      atMs: 1_795_312_800_000,
    });
    assert.equal(await withSystemctl(script, () => findNextRun("https://other.example/")), undefined);
  });

  it("is not known where systemd does not answer", async () => {
    assert.equal(await withSystemctl("echo no bus >&2; exit 1", () => findNextRun("https://example.org/")), undefined);
    assert.equal(await findNextRun("http://[::1]:8080/"), undefined);
  });

  it("is not known of a timer that is off, or not there", () => {
    assert.equal(parseNextElapse("NextElapseUSecRealtime=\n"), undefined);
    assert.equal(parseNextElapse("NextElapseUSecRealtime=n/a\n"), undefined);
    assert.equal(parseNextElapse("NextElapseUSecRealtime=@0\n"), undefined);
    assert.equal(parseNextElapse(""), undefined);
    assert.equal(parseNextElapse("Id=a.timer\nNextElapseUSecRealtime=@1700000000\n"), 1_700_000_000_000);
  });
});
