import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { tidemark } from "../../src/cli/command-line.ts";
import { commonOptions } from "../../src/cli/terminal/command.ts";
import { settingRow as row } from "../../src/config/setting.ts";
import { path, texts } from "../../src/config/setting-kind.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { formatOptionTable, replaceOptionTable } from "./option-tables.ts";

const file = join(repositoryFolder(), "docs/cli.md");
const sections = [
  { heading: "# The command line", command: { options: commonOptions } },
  ...tidemark.commands.map((command) => ({ heading: `## tidemark ${command.usage.split(" ")[0]}`, command })),
];

for (const { heading, command } of sections) {
  test(`${heading}: the table of docs/cli.md is that of the settings; TIDEMARK_WRITE_SCHEMA=1 writes it`, () => {
    const document = readFileSync(file, "utf8");
    const written = replaceOptionTable(document, heading, formatOptionTable(command));
    assert.ok(written !== undefined, "the section has no table of options");
    if (process.env.TIDEMARK_WRITE_SCHEMA === "1") writeFileSync(file, written);
    assert.equal(readFileSync(file, "utf8"), written);
  });
}

test("a row has the option, what holds without it, and what it does", () => {
  const options = {
    a: row("a", { ...path, whenAlone: "-" }, "Write A", { value: "FILE", alias: "x" }),
    b: row("b", texts, "Take B", { value: "B", default: "none" }),
    c: row("c", path, "Old", { isDeprecated: true }),
  };
  const table = [
    "| option | default | |",
    "|---|---|---|",
    "| `--a [FILE]`, `-x [FILE]` | | write A |",
    "| `--b B` | none | take B; repeatable |",
    "",
  ].join("\n");
  assert.equal(formatOptionTable({ options }), table);
  assert.equal(
    replaceOptionTable("\n## x\n\n| option |\n| y |\n\n## z\n", "## x", table),
    `\n## x\n\n${table}\n## z\n`,
  );
  assert.equal(replaceOptionTable("\n## x\n\n## z\n| option |\n", "## x", table), undefined);
});
