import assert from "node:assert/strict";
import { createHash, createPublicKey, generateKeyPairSync } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readApplication, writeApplication } from "../../../src/fleet/boinc/application.ts";
import {
  formatCodeSignKey,
  isSignedBy,
  makeSigningKey,
  readSigningKey,
  signFile,
} from "../../../src/fleet/boinc/code-signing.ts";
import { makeBoincProject, openBoincProject } from "../../../src/fleet/boinc/project-folder.ts";
import { ListedUnits } from "../../bench/boinc/listed-units.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const signingKey = makeSigningKey();

function programOf(text: string, platform = "x86_64-pc-linux-gnu"): Parameters<typeof writeApplication>[1] {
  return { script: Buffer.from(text), natives: new Map([[platform, Buffer.from(`native of ${platform}`)]]) };
}

describe("a signature", () => {
  const key = readSigningKey(signingKey);
  const publicKey = createPublicKey(key as never);
  const md5 = createHash("md5").update("a program").digest("hex");

  it("is four lines of 32 bytes, and of one MD5 and one key only", () => {
    const signature = signFile(md5, key);
    assert.match(signature, /^(?:[\da-f]{64}\n){4}\.\n$/);
    assert.equal(isSignedBy(publicKey, md5, signature), true);
    assert.equal(isSignedBy(publicKey, md5.replace(/./, "x"), signature), false);
    assert.equal(isSignedBy(createPublicKey(readSigningKey(makeSigningKey()) as never), md5, signature), false);
    assert.equal(isSignedBy(publicKey, md5, ""), false);
    assert.match(formatCodeSignKey(key), /^1024\n(?:[\da-f]{64}\n){8}\.\n$/);
  });

  it("is made with RSA keys of 1024 bits only, and an error tells nothing of the key", () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const longer = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
    const ed25519 = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }) as string;
    for (const pem of [longer, ed25519, "no key", signingKey.slice(0, 200)])
      assert.throws(
        () => readSigningKey(pem),
        (error: Error & { code?: string }) =>
          error.code === "bad-option" && !error.message.includes(pem.slice(30, 60) || "no key"),
      );
  });
});

describe("the folder of a project", () => {
  it("keeps the version while the program is the same, and gives another one the next", async () => {
    using temp = makeTempFolder("boinc");
    const key = readSigningKey(signingKey);
    assert.equal(await writeApplication(temp.path, programOf("one"), key), 1);
    assert.equal(await writeApplication(temp.path, programOf("one"), key), 1);
    assert.equal(await writeApplication(temp.path, programOf("two"), key), 2);
    assert.equal(await writeApplication(temp.path, programOf("two", "arm64-apple-darwin"), key), 3);
    const { application, applicationBytes } = readApplication(temp.path);
    assert.deepEqual(Object.keys(application.platforms), ["arm64-apple-darwin"]);
    const names = [...applicationBytes.keys()];
    assert.deepEqual(names, [
      "tidemark_work_3_arm64-apple-darwin",
      "tidemark_work_3.mjs",
      "tidemark_work_3_arm64-apple-darwin.node",
    ]);
  });

  it("is refused if a file is damaged, missing or signed by somebody else", async () => {
    using temp = makeTempFolder("boinc");
    await writeApplication(temp.path, programOf("one"), readSigningKey(signingKey));
    const manifest = join(temp.path, "application.json");
    const text = readFileSync(manifest, "utf8");
    const refused = (content: string): void => {
      writeFileSync(manifest, content);
      assert.throws(() => readApplication(temp.path), { code: "state-corrupt" });
    };
    refused(text.slice(0, 100));
    refused(text.replace(/(?<="signature": ")./, (digit) => (digit === "0" ? "1" : "0")));
    refused(
      text.replace(
        /"publicKey": "[^"]*"/,
        `"publicKey": ${JSON.stringify(createPublicKey(makeSigningKey()).export({ type: "spki", format: "pem" }))}`,
      ),
    );
    writeFileSync(manifest, text);
    readApplication(temp.path);
    writeFileSync(join(temp.path, "tidemark_work_1.mjs"), "another");
    assert.throws(() => readApplication(temp.path), { code: "state-corrupt" });
    assert.throws(() => readApplication(join(temp.path, "nothing")), { code: "not-found" });
  });

  it("has account keys that stay the same, and no signing key", async () => {
    using temp = makeTempFolder("boinc");
    const first = await makeBoincProject(temp.path, programOf("one"), signingKey, ["ann"]);
    const second = await makeBoincProject(temp.path, programOf("one"), signingKey, ["ann", "bob"]);
    assert.equal(second.accountKeys.ann, first.accountKeys.ann);
    assert.match(second.accountKeys.bob ?? "", /^[\da-f]{32}$/);
    const files = readdirSync(temp.path, { recursive: true, encoding: "utf8" });
    for (const file of files.filter((name) => /\.|secret/.test(name)))
      assert.ok(!readFileSync(join(temp.path, file)).includes("PRIVATE"), file);
    await assert.rejects(makeBoincProject(temp.path, programOf("one"), "no key", []), { code: "bad-option" });
  });

  it("lets only volunteers of the project attach", async () => {
    using temp = makeTempFolder("boinc");
    const { accountKeys } = await makeBoincProject(temp.path, programOf("one"), signingKey, ["ann", "bob"]);
    const { accounts, store } = openBoincProject(temp.path, {
      ...{ name: "a", masterUrl: "https://a.example/", dispatcher: new ListedUnits([]), now: () => 0 },
      ...{ onEvent: () => undefined, requestDelaySeconds: 1, volunteers: ["ann"] },
    });
    assert.equal(accounts.volunteerOf(accountKeys.ann ?? ""), "ann");
    assert.equal(accounts.volunteerOf(accountKeys.bob ?? ""), undefined);
    assert.equal(accounts.volunteerOf(""), undefined);
    store.close();
    assert.throws(() => openBoincProject(join(temp.path, "other"), {} as never), { code: "not-found" });
  });
});
