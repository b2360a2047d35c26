import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { repositoryFolder } from "../repository-folder.ts";
import { requireCached, skipWithoutCached } from "./programs.ts";

const file = join(repositoryFolder(), "Dockerfile");
const stages = readFileSync(file, "utf8")
  .split(/^(?=FROM )/m)
  .slice(1);

test("hadolint finds nothing to say of the Dockerfile", { skip: skipWithoutCached("hadolint-1") }, () => {
  const { status, stdout } = spawnSync(join(requireCached("hadolint-1"), "bin", "hadolint"), [file], {
    encoding: "utf8",
  });
  assert.equal(stdout, "");
  assert.equal(status, 0);
});

test("the image has two stages, the last without npm and not as root", () => {
  assert.equal(stages.length, 2);
  const last = stages.at(-1) ?? "";
  assert.match(last, /^USER [1-9]\d*:[1-9]\d*$/m);
  assert.doesNotMatch(last, /npm/);
  assert.deepEqual(last.match(/^COPY .*$/gm), ["COPY --from=build /program /program"]);
});

test("what the build may see is there, and all that the package takes", () => {
  const lines = readFileSync(join(repositoryFolder(), ".dockerignore"), "utf8").trim().split("\n");
  assert.equal(lines[0], "*");
  const seen = lines.slice(1).map((line) => line.replace(/^!/, ""));
  const absent = seen.filter((path) => !existsSync(join(repositoryFolder(), path)));
  assert.deepEqual(absent, []);
  const { files } = JSON.parse(readFileSync(join(repositoryFolder(), "package.json"), "utf8")) as { files: string[] };
  const unseen = files.filter((path) => !path.startsWith("dist/") && !seen.some((one) => path.startsWith(one)));
  assert.deepEqual(unseen, []);
});
