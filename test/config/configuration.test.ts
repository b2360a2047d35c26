import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkConfiguration } from "../../src/config/configuration.ts";
import type { Setting, SettingTable } from "../../src/config/setting.ts";
import { text, texts, wholeNumber } from "../../src/config/setting-kind.ts";
import { repositoryFolder } from "../repository-folder.ts";

interface Bed {
  readonly name: string;
  readonly lengthCm?: number;
}

const row = <T>(option: string, kind: Setting<T>["kind"], isRequired: boolean): Setting<T> => {
  return { option, kind, describe: "", ofSite: isRequired, isRequired, isDeprecated: false };
};
const beds: SettingTable<Bed> = {
  name: row("name", text, true),
  lengthCm: row("length", wholeNumber(1, 300), false),
};

test("a line in a table is all that a setting needs to be checked", async () => {
  const good = { defaults: { lengthCm: 200 }, sites: [{ name: "a" }, { name: "b", lengthCm: 190 }] };
  const checked = await checkConfiguration(beds, good);
  assert.deepEqual(checked, { ok: true, value: good });
  const refused = await checkConfiguration(beds, { sites: [{ name: "a", length: 5, "x\ny": 1 }, null] });
  assert.ok(!refused.ok);
  assert.deepEqual(refused.mistakes.map(({ place, message }) => `${place}: ${message}`).sort(), [
    'sites[0]."x\\ny": is no key here; there are name, lengthCm',
    "sites[0].length: is no key here; did you mean lengthCm?",
    "sites[1]: must be an object in braces, not null",
  ]);
});

test("zod is loaded only where a configuration is read", () => {
  const folder = join(repositoryFolder(), "src");
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  )) {
    assert.doesNotMatch(
      readFileSync(join(folder, name), "utf8"),
      /^(?:import|export) (?!type\b)[^;]*from "zod"/m,
      name,
    );
  }
});

test("no message has a secret, or the login of a URL", async () => {
  const doors: SettingTable<{ name: string; login?: string; logins?: readonly string[] }> = {
    name: row("name", wholeNumber(1, 2) as never, true),
    login: { ...row("login", text, false), isSecret: true },
    logins: { ...row("logins", texts, false), isSecret: true },
  };
  const refused = await checkConfiguration(doors, {
    defaults: { login: ["u:secret"] },
    sites: [
      { name: "http://u:secret@example.org/", logins: "secret" },
      { name: 1, logins: [["secret"]] },
    ],
  });
  assert.ok(!refused.ok);
  assert.deepEqual(refused.mistakes.map(({ place, message }) => `${place}: ${message}`).sort(), [
    "defaults.login: must be a text that is not empty",
    "sites[0].logins: must be a list of texts that are not empty",
    'sites[0].name: must be a whole number from 1 to 2, not "http://…@example.org/"',
    "sites[1].logins[0]: must be a text that is not empty",
  ]);
});

test("a key as long as a file may be is refused at once", async () => {
  const start = performance.now();
  const refused = await checkConfiguration(beds, { sites: [{ name: "a", ["k".repeat(4_000_000)]: 1 }] });
  assert.ok(!refused.ok && performance.now() - start < 1000);
});
