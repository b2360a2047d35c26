import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readIdentity } from "../../../src/http/identity.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { runProgram } from "../run-program.ts";

const agent = "https://crawler.example.org";
const publicName = ".well-known/http-message-signatures-directory";
const read = (...parts: string[]): string => readFileSync(join(...parts), "utf8");

async function init(folder: string, ...more: string[]) {
  return await runProgram("identity", "init", "--agent", agent, "--into", folder, ...more);
}

describe("tidemark identity", () => {
  it("makes a secret key, and a folder that can be served without it", async () => {
    using temp = makeTempFolder();
    const { code, stdout } = await init(temp.path, "--json");
    const { keyId, key, directory } = JSON.parse(stdout);
    assert.deepEqual([code, key], [0, join(temp.path, "identity.json")]);
    assert.equal(directory, join(temp.path, "public", publicName));
    assert.equal(statSync(key).mode & 0o777, 0o600);
    const files = readdirSync(join(temp.path, "public"), { recursive: true, encoding: "utf8" });
    assert.deepEqual(files.sort(), [".well-known", publicName]);
    assert.equal(JSON.parse(read(directory)).keys[0].kid, keyId);
    assert.equal(JSON.parse(read(directory)).keys[0].d, undefined);
    const shown = await runProgram("identity", "show", "--key", key);
    assert.equal(shown.stdout, `key id  ${keyId}\nagent   ${agent}\n`);
  });

  it("makes the public file again if a kill left the key without it, and changes nothing else", async () => {
    using temp = makeTempFolder();
    await init(temp.path);
    const [key, directory] = [read(temp.path, "identity.json"), read(temp.path, "public", publicName)];
    rmSync(join(temp.path, "public"), { recursive: true });
    const again = await init(temp.path);
    assert.deepEqual([again.code, again.stderr], [0, ""]);
    assert.match(again.stdout, new RegExp(`^Made the public file of the key ${readIdentity(key).id}`));
    assert.equal(read(temp.path, "public", publicName), directory);
    assert.equal(read(temp.path, "identity.json"), key);
  });

  it("replaces no key: with its public file, with that of an earlier version, or of another agent", async () => {
    using temp = makeTempFolder();
    await init(temp.path);
    const key = read(temp.path, "identity.json");
    const refuses = async (why: RegExp, ...more: string[]): Promise<void> => {
      const { code, stderr } = await init(temp.path, ...more);
      assert.equal(code, 2);
      assert.match(stderr, why);
      assert.equal(read(temp.path, "identity.json"), key);
    };
    await refuses(/a key already/);
    mkdirSync(join(temp.path, ".well-known"));
    renameSync(join(temp.path, "public", publicName), join(temp.path, publicName));
    await refuses(/a key already/);
    rmSync(join(temp.path, ".well-known"), { recursive: true });
    const other = await runProgram("identity", "init", "--agent", "https://other.example", "--into", temp.path);
    assert.deepEqual([other.code, read(temp.path, "identity.json")], [2, key]);
  });
});
