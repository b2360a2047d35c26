import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { parse, stringify } from "yaml";
import { indexFileName, parseArchiveIndex, publishedFolder } from "../../src/formats/archive/archive-index.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { BuiltSite, compareBuilds, runBash, type ShellResult } from "./built-site.ts";
import { readDocumentCode } from "./document-code.ts";
import { compareTrees } from "./file-tree.ts";
import { npmCacheFolder, packProject } from "./package.ts";
import { requireCached, skipWithout, skipWithoutCached } from "./programs.ts";

const skip =
  skipWithout("nginx", "git", "npm", "rsync", "shellcheck") || skipWithoutCached("ci-jobs-1", "hugo-1", "node-24");
const integrations = join(repositoryFolder(), "integrations");
const actionFile = join(integrations, "github-action", "action.yml");
const jobFile = join(integrations, "gitlab", "tidemark.gitlab-ci.yml");
const node24 = (): string => join(requireCached("node-24"), "node_modules", "node", "bin", "node");
const ciProgram = (name: string): string => join(requireCached("ci-jobs-1"), "bin", name);

/** GitHub's own actions, which are in no registry: what they do with the folder of a site, on one machine. */
const hostedActions = {
  "upload-pages-artifact@v5": `
inputs: { path: { description: a, required: true }, include-hidden-files: { description: b, default: "false" } }
runs:
  using: composite
  steps:
    - shell: bash
      env: { FOLDER: "\${{ inputs.path }}", HIDDEN: "\${{ inputs.include-hidden-files }}" }
      run: |
        [ "$HIDDEN" = true ] && hidden=() || hidden=(--exclude='.[^/]*')
        tar --create --file "$ARTIFACT" --directory "$FOLDER" --exclude=.git "\${hidden[@]}" .
`,
  "deploy-pages@v4": `
runs:
  using: composite
  steps:
    - shell: bash
      run: |
        find "$SERVED" -mindepth 1 -delete
        tar --extract --file "$ARTIFACT" --directory "$SERVED"
        rm "$ARTIFACT"
`,
};

/** A site whose builds a job of CI makes, with the package as it would be published. */
async function openSite(): Promise<{ readonly site: BuiltSite; readonly tarball: string }> {
  const site = await BuiltSite.open("hugo");
  const { file } = await packProject(site.folder);
  // What a job installs from elsewhere is on this machine already.
  for (const name of ["pipx", "apt-get"]) site.addProgram(name, "exit 0");
  return { site, tarball: file };
}

/** A fresh machine with a clone of the site, whose npm reads what it fetched before. */
async function startRunner(site: BuiltSite): Promise<{ readonly folder: string; readonly env: NodeJS.ProcessEnv }> {
  const { folder, env } = await site.startMachine();
  const { npm_config_offline: _, ...more } = env;
  const npm = { npm_config_cache: npmCacheFolder(), npm_config_prefer_offline: "true" };
  return { folder, env: { ...process.env, ...more, ...npm } };
}

/** How a workflow ran. */
interface WorkflowRun {
  readonly code: number | null;
  readonly log: string;
  /** Of the step that exports. */
  readonly outputs: Readonly<Record<string, string>>;
  /** What the job's page shows. */
  readonly pageText: string;
  /** Texts of the annotations. */
  readonly annotations: readonly string[];
}

interface LogLine {
  readonly msg?: string;
  readonly command?: string;
  readonly name?: string;
  readonly arg?: string;
  readonly content?: string;
  readonly stepID?: readonly string[];
}

function readLog({ code, output }: ShellResult): WorkflowRun {
  const lines = output.split("\n").filter((line) => line.startsWith("{"));
  const events = lines.map((line) => JSON.parse(line) as LogLine);
  const own = events.filter(({ stepID }) => stepID?.length === 1 && stepID[0] === "tidemark");
  const outputs = own.flatMap(({ command, name = "", arg = "" }) => (command === "set-output" ? [[name, arg]] : []));
  return {
    code,
    log: events.map(({ msg = "" }) => msg).join("\n"),
    outputs: Object.fromEntries(outputs),
    pageText: own.find(({ command }) => command === "summary")?.content ?? "",
    annotations: events.flatMap(({ command = "", arg = "" }) => (/^(?:warning|error)$/.test(command) ? [arg] : [])),
  };
}

/** Runs the workflow of docs/builders.md by act, on a machine of its own. */
async function runWorkflow(site: BuiltSite, edit: (workflow: string) => string): Promise<WorkflowRun> {
  const { folder, env } = await startRunner(site);
  mkdirSync(join(folder, ".github", "workflows"), { recursive: true });
  const workflow = edit(site.localize(readDocumentCode("docs/builders.md", "yaml github")));
  writeFileSync(join(folder, ".github", "workflows", "pages.yml"), workflow);
  cpSync(join(integrations, "github-action"), join(folder, ".github", "actions", "tidemark"), { recursive: true });
  const options = ["--platform=ubuntu-latest=-self-hosted", "--use-new-action-cache", "--no-cache-server", "--json"];
  for (const [name, text] of Object.entries(hostedActions)) {
    const action = join(site.folder, name);
    mkdirSync(action, { recursive: true });
    writeFileSync(join(action, "action.yml"), `name: stand-in\ndescription: stand-in${text}`);
    options.push(`--local-repository=actions/${name}=${action}`);
  }
  const script = 'git remote add origin https://github.com/example/site; exec "$@"';
  const more = { ARTIFACT: join(site.folder, "artifact.tar"), SERVED: site.served };
  return readLog(
    await runBash(["-c", script, "bash", ciProgram("act"), "push", ...options], folder, { ...env, ...more }),
  );
}

/** Runs the job of docs/builders.md by gitlab-ci-local, on a machine of its own, and serves the folder that it leaves. */
async function runPipeline(site: BuiltSite, tarball: string, options = ""): Promise<ShellResult> {
  const { folder, env } = await startRunner(site);
  const job = site.localize(readDocumentCode("docs/builders.md", "yaml gitlab"));
  const edited = job.replace(
    /TIDEMARK_OPTIONS: (.*)/,
    (_, given) => `TIDEMARK_PACKAGE: ${tarball}\n    TIDEMARK_OPTIONS: ${JSON.stringify(`${given} ${options}`)}`,
  );
  writeFileSync(join(folder, ".gitlab-ci.yml"), edited);
  cpSync(join(integrations, "gitlab", "tidemark.gitlab-ci.yml"), join(folder, "tidemark.gitlab-ci.yml"));
  const runner = join(requireCached("ci-jobs-1"), "node_modules", "gitlab-ci-local", "dist", "index.js");
  const script = 'git remote add origin https://gitlab.com/example/site.git; git add .; exec "$@"';
  const global = { npm_config_prefix: join(folder, "..", "global") };
  const path = `${join(global.npm_config_prefix, "bin")}:${env.PATH}`;
  const words = [node24(), runner, "--force-shell-executor", "--no-color"];
  const result = await runBash(["-c", script, "bash", ...words], folder, { ...env, ...global, PATH: path });
  if (result.code !== 0) return result;
  rmSync(site.served, { recursive: true });
  cpSync(join(folder, "public"), site.served, { recursive: true });
  return result;
}

/** A copy of what is served now. */
function keepServed(site: BuiltSite, name: string): string {
  const copy = join(site.folder, name);
  cpSync(site.served, copy, { recursive: true });
  return copy;
}

function epochOf(site: BuiltSite): string {
  const index = parseArchiveIndex(gunzipSync(readFileSync(join(site.served, publishedFolder, indexFileName))));
  assert.ok(index.ok);
  return index.value.epoch;
}

interface Script {
  readonly name: string;
  readonly shell: string;
  readonly text: string;
}

/** All scripts of the Action and of the job. */
function readScripts(): Script[] {
  const action = parse(readFileSync(actionFile, "utf8"));
  const steps: Array<{ name: string; shell: string; run: string }> = action.runs.steps;
  const job = parse(readFileSync(jobFile, "utf8"));
  return [
    ...steps.map(({ name, shell, run }) => ({ name, shell, text: run })),
    { name: "GitLab", shell: "sh", text: job[".tidemark"].script.join("\n") },
  ];
}

/** What a checker says of a file of this kind; empty if all is well. */
function checkSchema(kind: string, text: string): string {
  using temp = makeTempFolder("schema");
  const file = join(temp.path, "file.yml");
  writeFileSync(file, text);
  const transform = kind === "gitlab-ci" ? ["--data-transform", "gitlab-ci"] : [];
  const args = ["--builtin-schema", `vendor.${kind}`, ...transform, file];
  const { status, stdout } = spawnSync(ciProgram("check-jsonschema"), args, { encoding: "utf8", timeout: 30_000 });
  return status === 0 ? "" : stdout;
}

describe("jobs of continuous integration", { skip }, () => {
  it("have files as the schemas of GitHub and GitLab ask", () => {
    const action = readFileSync(actionFile, "utf8");
    assert.equal(checkSchema("github-actions", action), "");
    assert.match(checkSchema("github-actions", action.replace("using: composite", "using: bash")), /valid/);
    assert.equal(checkSchema("github-workflows", readDocumentCode("docs/builders.md", "yaml github")), "");
    assert.equal(checkSchema("gitlab-ci", readFileSync(jobFile, "utf8")), "");
    assert.equal(checkSchema("gitlab-ci", readDocumentCode("docs/builders.md", "yaml gitlab")), "");
  });

  it("have scripts that contain no input, and that ShellCheck finds nothing wrong with", () => {
    const scripts = readScripts();
    assert.equal(scripts.length, 3);
    for (const { name, shell, text } of scripts) {
      assert.doesNotMatch(text, /\$\{\{/, name);
      // The options of the job are split on purpose.
      const args = [`--shell=${shell}`, ...(shell === "sh" ? ["--exclude=SC2086"] : []), "-"];
      const { stdout } = spawnSync("shellcheck", args, { input: text, encoding: "utf8", timeout: 30_000 });
      assert.equal(stdout, "", name);
    }
  });

  it("install the version that they came with", () => {
    const { version } = JSON.parse(readFileSync(join(repositoryFolder(), "package.json"), "utf8"));
    assert.equal(parse(readFileSync(actionFile, "utf8")).inputs.package.default, `tidemark@${version}`);
    assert.ok(readFileSync(jobFile, "utf8").includes(`:-tidemark@${version}}`));
  });

  it("keep one epoch in three clean builds on GitHub, and tell what changed", { timeout: 300_000 }, async () => {
    const { site, tarball } = await openSite();
    await using _ = site;
    const build = async (first = false): Promise<WorkflowRun> => {
      const inputs = [`docroot: public`, `package: ${tarball}`, `previous-optional: ${first}`];
      const run = await runWorkflow(site, (text) => text.replace("docroot: public", inputs.join("\n          ")));
      assert.equal(run.code, 0, run.log);
      assert.ok(run.log.includes(`${run.outputs.changed} pages changed`), run.log);
      return run;
    };
    const first = await build(true);
    const built = keepServed(site, "first");
    const epoch = epochOf(site);
    const { pages, epoch: told } = JSON.parse(first.outputs.summary ?? "");
    assert.equal(told, epoch);
    const { summary: _one, ...counts } = first.outputs;
    assert.deepEqual(counts, {
      changed: `${pages}`,
      created: `${pages}`,
      updated: "0",
      deleted: "0",
      published: "true",
    });
    assert.deepEqual([first.annotations.length, first.annotations[0]?.slice(0, 24)], [1, "Nothing is published at "]);

    const again = await build();
    assert.deepEqual([again.outputs.changed, again.outputs.published], ["0", "false"]);
    assert.match(again.pageText, /^### Tidemark: nothing changed$/m);
    assert.deepEqual(compareTrees(built, site.served, new Set()), []);

    site.edit("High water came at six.", "High water came at seven.");
    const third = await build();
    const changed = compareBuilds(built, site.served);
    assert.ok(changed.includes("updated /posts/one/"), changed.join());
    assert.deepEqual(await site.readAnnounced(), changed);
    assert.deepEqual([third.outputs.changed, third.outputs.updated], [`${changed.length}`, `${changed.length}`]);
    assert.deepEqual(
      third.pageText.match(/^- .*$/gm),
      changed.map((line) => `- ${line.replace(" ", " `")}\``),
    );
    assert.deepEqual([third.annotations, epochOf(site)], [[], epoch]);
  });

  it("run nothing that is in an input on GitHub, and fail where the export does", { timeout: 300_000 }, async () => {
    const { site, tarball } = await openSite();
    await using _ = site;
    const hostile = '-odd"; touch "$RAN"; $(touch "$RAN") `touch "$RAN"` &\ntouch "$RAN"\n#';
    const folder = '-odd"; touch $RAN; $(touch $RAN) `touch $RAN`';
    const right = { docroot: "site", "base-url": site.url, package: tarball };
    const names = Object.keys(parse(readFileSync(actionFile, "utf8")).inputs);
    const steps = [
      { ...Object.fromEntries(names.map((name) => [name, hostile])), package: tarball },
      { package: hostile },
      { options: "--index\nindex.html" },
      { docroot: folder, "previous-optional": true },
    ].map((inputs, at, all) => ({
      uses: "./.github/actions/tidemark",
      id: at === all.length - 1 ? "tidemark" : `step-${at}`,
      with: { ...right, ...inputs },
      "continue-on-error": at < all.length - 1,
    }));
    const make = `for folder in site '${folder}'; do mkdir -- "$folder"; echo hello > "./$folder/page.html"; done`;
    const ran = join(site.folder, "ran");
    const run = await runWorkflow(site, (text) => {
      const workflow = parse(text);
      workflow.env = { RAN: ran };
      workflow.jobs = {
        build: { "runs-on": "ubuntu-latest", steps: [{ uses: "actions/checkout@v5" }, { run: make }, ...steps] },
      };
      return stringify(workflow);
    });
    assert.equal(existsSync(ran), false);
    assert.equal(run.code, 0, run.log);
    assert.equal(run.outputs.changed, "1");
    const [refused = "", missing = "", optional = "", ...others] = run.annotations;
    assert.deepEqual([others, /EINVALID/.test(run.log)], [[], true], run.log);
    assert.match(refused, /^Unknown option: -o/);
    assert.match(missing, /^Nothing is published at .* add --previous-optional/);
    assert.match(optional, /^Nothing is published at .* A new epoch begins/);
  });

  it("keep one epoch in three clean builds on GitLab", { timeout: 300_000 }, async () => {
    const { site, tarball } = await openSite();
    await using _ = site;
    const first = await runPipeline(site, tarball, "--previous-optional");
    assert.equal(first.code, 0, first.output);
    const [built, epoch] = [keepServed(site, "first"), epochOf(site)];
    const again = await runPipeline(site, tarball);
    assert.deepEqual([again.code, /nothing changed/i.test(again.output)], [0, true], again.output);
    assert.deepEqual(compareTrees(built, site.served, new Set()), []);
    site.edit("High water came at six.", "High water came at seven.");
    const third = await runPipeline(site, tarball);
    assert.equal(third.code, 0, third.output);
    const changed = compareBuilds(built, site.served);
    assert.ok(changed.includes("updated /posts/one/"), changed.join());
    assert.deepEqual([await site.readAnnounced(), epochOf(site)], [changed, epoch]);
  });

  it("run nothing that is in a variable on GitLab, and fail where the export does", { timeout: 120_000 }, async () => {
    const { site, tarball } = await openSite();
    await using _ = site;
    const ran = join(site.folder, "ran");
    const hostile = `--exclude * "; touch ${ran}; $(touch ${ran}) \`touch ${ran}\``;
    const { code, output } = await runPipeline(site, tarball, hostile);
    assert.deepEqual([existsSync(ran), code], [false, 1], output);
    // The first word is taken for the document root; an expanded * would be several words.
    assert.match(output, /tidemark: One argument too many: touch\./);
    assert.equal(existsSync(join(site.served, "index.html")), false);
  });
});
