import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { formatConfigurationSchema } from "../../src/config/configuration.ts";
import { TidemarkError } from "../../src/core/error.ts";
import { readExportConfiguration } from "../../src/exporter/export-configuration.ts";
import { exportSettings } from "../../src/exporter/export-settings.ts";

import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";

async function read(content: string | Uint8Array) {
  using folder = makeTempFolder();
  const file = join(folder.path, "tidemark.json");
  writeFileSync(file, content);
  return { folder: folder.path, file, sites: await readExportConfiguration(file) };
}

async function refusal(content: string | Uint8Array): Promise<string> {
  try {
    await read(content);
  } catch (error) {
    assert.ok(error instanceof TidemarkError, String(error));
    assert.equal(error.code, "bad-option");
    return error.message.replaceAll(/\/[^ ]*\/tidemark\.json/g, "FILE");
  }
  return assert.fail(`accepted: ${content}`);
}

const site = '"baseUrl": "https://a.example/", "docroot": "a"';
const two = (second: string) => `{"sites": [\n{${site}},\n{${second}}\n]}`;

const mistakes: ReadonlyArray<readonly [string, string, string]> = [
  [
    "a number out of its range",
    two('"baseUrl": "https://b.example/", "docroot": "b", "segmentSize": 0'),
    "FILE: line 3: sites[1].segmentSize: must be a whole number from 1 to 65536, not 0",
  ],
  [
    "a number as a text",
    two('"baseUrl": "https://b.example/", "docroot": "b", "segmentSize": "many"'),
    'FILE: line 3: sites[1].segmentSize: must be a whole number from 1 to 65536, not "many"',
  ],
  [
    "a word that is none of the choice",
    `{"sites": [{${site}, "digest": "some"}]}`,
    'FILE: line 1: sites[0].digest: must be one of all, changed, none, not "some"',
  ],
  [
    "a text instead of a list",
    `{"sites": [{${site}, "exclude": "x/**"}]}`,
    'FILE: line 1: sites[0].exclude: must be a list of texts that are not empty, not "x/**"',
  ],
  [
    "an element that is no text",
    `{"sites": [{${site}, "exclude": ["a",\n 2]}]}`,
    "FILE: line 2: sites[0].exclude[1]: must be a text that is not empty, not 2",
  ],
  [
    "a key with a slip",
    `{"sites": [{${site}, "exlude": []}]}`,
    "FILE: line 1: sites[0].exlude: is no key here; did you mean exclude?",
  ],
  [
    "an option's name",
    `{"sites": [{${site}, "server-user": "x"}]}`,
    "FILE: line 1: sites[0].server-user: is no key here; did you mean serverUser?",
  ],
  [
    "what belongs to one run",
    `{"sites": [{${site}, "dryRun": true}]}`,
    "FILE: line 1: sites[0].dryRun: is no key here; there are docroot, baseUrl,",
  ],
  [
    "a site's key at the top",
    `{"docroot": "a", "sites": [{${site}}]}`,
    "FILE: line 1: docroot: is no key here; it belongs to a site: sites[0].docroot",
  ],
  [
    "a site's key among the defaults",
    `{"defaults": {"stateDir": "s"}, "sites": [{${site}}]}`,
    "FILE: line 1: defaults.stateDir: belongs to a site, not to the defaults",
  ],
  ["a key that is missing", two('"baseUrl": "https://b.example/"'), "FILE: line 3: sites[1].docroot: is missing"],
  ["no site", '{"sites": []}', "FILE: line 1: sites: must be a list of sites, with one at least, not []"],
  ["no list of sites", "{}", "FILE: line 1: sites: is missing"],
  ["a list", "[]", "FILE: line 1: the whole: must be an object in braces, not []"],
  [
    "a path in the base URL",
    '{"sites": [{"baseUrl": "https://a.example/x", "docroot": "a"}]}',
    "FILE: line 1: sites[0].baseUrl: must be an origin without a path, such as https://a.example/",
  ],
  [
    "no URL",
    '{"sites": [{"baseUrl": "a.example", "docroot": "a"}]}',
    'FILE: line 1: sites[0].baseUrl: must be an http or https URL, not "a.example"',
  ],
  [
    "one site twice",
    two('"baseUrl": "https://a.example", "docroot": "b"'),
    "FILE: line 3: sites[1].baseUrl: is that of sites[0] already",
  ],
  [
    "one state for two",
    `{"sites": [{${site}, "stateDir": "s"}, {"baseUrl": "https://b.example/", "docroot": "b", "stateDir": "./s"}]}`,
    "FILE: line 1: sites[1].stateDir: is the folder of sites[0] already",
  ],
  ["no JSON", '{"sites": [,]}', 'FILE: line 1, column 12: a value is missing, here is ","'],
];

describe("a configuration file", () => {
  it("gives each site its settings, with paths relative to the file", async () => {
    const { folder, sites } = await read(
      `{"$schema": "x", "defaults": {"digest": "none", "exclude": ["a", "b"], "segmentSize": 7}, "sites": [
        {"baseUrl": "https://a.example/", "docroot": "www", "stateDir": "../state", "exclude": ["c"],
          "map": [{"urlPrefix": "/s/", "folder": "static"}]},
        {"baseUrl": "https://b.example", "docroot": "/srv/b", "digest": "all", "allowEmpty": true}]}`,
    );
    assert.deepEqual(sites, [
      {
        baseUrl: "https://a.example/",
        docroot: join(folder, "www"),
        stateDir: join(folder, "../state"),
        digest: "none",
        exclude: ["c"],
        map: [{ urlPrefix: "/s/", folder: join(folder, "static") }],
        segmentSize: 7,
      },
      {
        baseUrl: "https://b.example",
        docroot: "/srv/b",
        digest: "all",
        exclude: ["a", "b"],
        segmentSize: 7,
        allowEmpty: true,
      },
    ]);
  });

  for (const [what, content, message] of mistakes) {
    it(`is refused with its place: ${what}`, async () => {
      assert.ok((await refusal(content)).startsWith(message), await refusal(content));
    });
  }

  it("tells all mistakes, up to twenty", async () => {
    const message = await refusal(`{"sites": [{${site}, "digest": 1,\n "minGroup": 0}]}`);
    assert.match(message, /^FILE: 2 mistakes\n {2}line 1: sites\[0\]\.digest: .*\n {2}line 2: sites\[0\]\.minGroup: /);
    const many = Array.from({ length: 30 }, (_, at) => `"zzz${at}": 1`).join(", ");
    const lines = (await refusal(`{"sites": [{${site}, ${many}}]}`)).split("\n");
    assert.deepEqual([lines.length, lines.at(-1)], [22, "  and 10 more"]);
  });

  it("is bounded, and UTF-8", async () => {
    assert.match(await refusal(Buffer.alloc(5 * 1024 * 1024, " ")), /more than 4194304 bytes/);
    assert.match(await refusal(Buffer.from([0x22, 0xff, 0x22])), /not UTF-8/);
    await assert.rejects(readExportConfiguration("/nonexistent/tidemark.json"), { code: "not-found" });
    await assert.rejects(readExportConfiguration("/dev/zero"), /more than 4194304 bytes/);
  });

  it("has the JSON Schema that is published; TIDEMARK_WRITE_SCHEMA=1 writes it", async () => {
    const file = join(repositoryFolder(), "docs/tidemark.schema.json");
    const schema = await formatConfigurationSchema(exportSettings, "Configuration of tidemark export");
    if (process.env.TIDEMARK_WRITE_SCHEMA === "1") writeFileSync(file, schema);
    assert.equal(readFileSync(file, "utf8"), schema);
    const { properties, required } = JSON.parse(schema);
    assert.deepEqual(required, ["sites"]);
    const own = properties.sites.items;
    assert.deepEqual(Object.keys(own.properties), Object.keys(exportSettings));
    assert.deepEqual(own.required, ["docroot", "baseUrl"]);
    assert.equal(own.additionalProperties, false);
    assert.deepEqual(own.properties.digest.enum, ["all", "changed", "none"]);
    assert.ok(!("docroot" in properties.defaults.properties));
  });
});
