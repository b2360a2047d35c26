import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readProjectFile } from "../../../src/fleet/index.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { runProgram } from "../run-program.ts";

for (const [line, said] of [
  ["volunteers start web", /There is no action "start"/],
  ["volunteers init", /dir is missing/],
  ["volunteers init web", /--volunteer is missing/],
  ["volunteers init web --seeds a", /--seeds is not for volunteers init/],
  ["volunteers init web --user-agent x --volunteer Ann!", /Ann!: not a new name/],
  ["volunteers serve web", /--seeds is missing/],
  ["volunteers serve web --seeds a --boinc-delay 2s", /--boinc-delay is for --boinc-url/],
  ["volunteers serve web --boinc a", /--boinc is not for volunteers serve/],
  ["volunteers serve web --volunteer ann", /--volunteer is not for volunteers serve/],
  ["volunteers serve web --seeds a --cert b", /--cert and --cert-key belong together/],
  ["work --key a", /--key and --units need --from/],
  ["work --from http://x.example/ --in a", /--in and --out are not for work --from/],
  ["work --from http://x.example/", /--key is missing/],
  ["work --from http://x.example/ --key /dev/null", /not the key of a volunteer/],
] as const)
  test(`${line} is refused`, async () => {
    using folder = makeTempFolder();
    const words = line.split(" ").map((word) => (word === "web" ? join(folder.path, "web") : word));
    const { code, stderr } = await runProgram(...words);
    assert.equal(code, 2, stderr);
    assert.match(stderr, said);
  });

test("volunteers are added to a project one after the other, and none twice", async () => {
  using folder = makeTempFolder();
  const init = async (...more: string[]) => await runProgram("volunteers", "init", folder.path, ...more);
  assert.equal((await init("--volunteer", "ann")).code, 4, "no project is there");
  assert.equal((await init("--user-agent", "MyBot/1.0", "--volunteer", "ann")).code, 0);
  assert.equal((await init("--volunteer", "bob")).code, 0);
  assert.equal((await init("--volunteer", "ann")).code, 2);
  assert.equal((await init("--user-agent", "Other/1.0")).code, 2);
  const { userAgent, volunteers } = readProjectFile(folder.path);
  assert.deepEqual([userAgent, [...volunteers.keys()]], ["MyBot/1.0", ["ann", "bob"]]);
  const file = join(folder.path, "volunteers.json");
  const text = readFileSync(file, "utf8");
  for (const [part, by] of [
    ["MyBot/1.0", ""],
    ['"knownPages": []', '"knownPages": ["ftp://x"]'],
    ['"ann": "', '"ann": "x'],
    ["{", ""],
  ] as const) {
    writeFileSync(file, text.replace(part, by));
    assert.throws(() => readProjectFile(folder.path), { code: "bad-option" });
  }
});

test("BOINC's clients are let in: a signing key, an application and an account key for each volunteer", async () => {
  using folder = makeTempFolder();
  const signingKey = join(folder.path, "signing.pem");
  const init = async (...more: string[]) =>
    await runProgram("volunteers", "init", folder.path, "--boinc", signingKey, ...more);
  assert.equal((await init("--user-agent", "MyBot/1.0", "--volunteer", "ann")).code, 0);
  const pem = readFileSync(signingKey, "utf8");
  const keyOf = (name: string): string => readFileSync(join(folder.path, "keys", `${name}.boinc`), "utf8");
  const first = keyOf("ann");
  assert.match(first, /^[0-9a-f]{32}\n$/);
  const { code, stdout } = await init("--volunteer", "bob", "--json");
  assert.equal(code, 0);
  const { boinc } = JSON.parse(stdout) as { boinc: { version: number; accounts: object } };
  assert.deepEqual([boinc.version, Object.keys(boinc.accounts)], [1, ["ann", "bob"]]);
  assert.deepEqual([keyOf("ann"), readFileSync(signingKey, "utf8")], [first, pem]);
  writeFileSync(signingKey, "no key");
  assert.equal((await init()).code, 2);
});
