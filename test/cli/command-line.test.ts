import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseCommandLine, tidemark } from "../../src/cli/command-line.ts";
import { groupOptions } from "../../src/cli/terminal/help-text.ts";
import type { RawArguments } from "../../src/cli/terminal/option.ts";
import { TidemarkError } from "../../src/core/error.ts";

function parse(line: string): ReturnType<typeof parseCommandLine> {
  return parseCommandLine(line === "" ? [] : line.split(" "), "1.2.3", 80);
}

function failureOf(line: string): TidemarkError {
  try {
    parse(line);
  } catch (error) {
    assert.ok(error instanceof TidemarkError, String(error));
    assert.equal(error.code, "bad-option");
    return error;
  }
  return assert.fail(`accepted: ${line}`);
}

const accepted = [
  "export site --base-url https://a.example/",
  "export site --base-url https://a.example/ --state s --include *.html --include *.css --exclude x/** --digest none",
  "export site --base-url=https://a.example --segment-size 1 --min-group 1 --robots-dir r --server-user www-data",
  "export --dry-run --allow-empty --json --quiet --base-url https://a.example/ site",
  "export --config c.json",
  "export --config c.json --site https://a.example/ --digest none --dry-run",
  "export site --config c.json --base-url https://a.example/",
  "export --base-url https://a.example/ -- -site",
  "crawl https://a.example/ --into m -- https://b.example/",
  "init site",
  "init site --base-url https://a.example/ --server http://127.0.0.1:8080/ --write c.json --force",
  "status --config c.json --site https://a.example/ --max-age 8d --openmetrics a.prom --json",
  "status --base-url https://a.example/ --openmetrics",
  "status --state s --docroot d --json",
  "export site --base-url https://a.example/ --urls - --urls-format jsonl --sitemap-from https://a.example/cms.xml",
  "export site --base-url https://a.example/ --urls l --probe --probe-budget 0 --probe-delay 2s --probe-concurrency 2",
  "export site --base-url https://a.example/ --allow-fewer-lists",
  "export site --base-url https://a.example --index index.html --index a --clean-urls --map /s/=/srv/s --map /t=u=v",
  "export site --base-url https://a.example --noindex-pages",
  "verify https://a.example/ --sample 5 --seed 0 --delay 0 --json",
  "verify https://a.example/ --all",
  "crawl https://a.example/ --into m --http1",
  "crawl --sites s.txt --forever --into m --look-least 1m --look-most 1h",
  "--json crawl https://a.example/ --into m",
  "top m --openmetrics",
  "crawl https://a.example/ --into m",
  "crawl --config c.json",
  "crawl --config c.json --site https://a.example/ --into m --types text/html --source links,list",
  "crawl https://a.example/ --config c.json",
  "crawl https://a.example/ http://b.example:81/ --into m --state s.db --types text/html,image/* --types text/css",
  "crawl https://a.example/ --into m --pages-before-rest 5 --rest 30 --crawl-delay 2 --rest-on-loopback --max-wait 0",
  "crawl --sites s.txt --forever --into m --order depth --w 15 --k 5 --r 64",
  "crawl https://a.example/ --into m -w 15 -k 5 -r 64",
  "crawl https://a.example/ --into m --since 2026-11-20T02:00 --budget 0 --concurrency 4 --timeout 30",
  "changes https://a.example/ --cursor c --format tsv",
  "changes https://a.example/ --since 2026-11-20 --format json --json",
  "serve site --port 0 --host 127.0.0.1",
  "demo --pages 100 --keep folder",
];

const refused: ReadonlyArray<readonly [string, RegExp]> = [
  ["", /^No command is given\.$/],
  ["exprot", /^Unknown command: exprot\.$/],
  ["exprot --help", /^Unknown command: exprot\.$/],
  ["--foo", /^Unknown option: --foo\.$/],
  ["export", /^docroot is missing\.$/],
  ["export site", /^--base-url is missing\.$/],
  ["export site --base-url", /^--base-url needs a value\.$/],
  ["export site --base-url example.org", /not an http or https URL\.$/],
  ["export site --base-url ftp://example.org/", /not an http or https URL\.$/],
  ["export site st --base-url https://a.example/ --state x", /^One argument too many: st\.$/],
  ["export site other --base-url https://a.example/", /^One argument too many: other\.$/],
  ["export site --base-url https://a.example/ --base-url https://b.example/", /^--base-url is given more than once\.$/],
  ["export site --base-url https://a.example/ -- -x", /^One argument too many: -x\.$/],
  ["export -site --base-url https://a.example/", /^Unknown option: -/],
  ["export site --base-url https://a.example/ --min-gruop 3", /^Unknown option: --min-gruop\.$/],
  ["export site --base-url https://a.example/ --no-json", /^Unknown option: --no-json\.$/],
  ["export site --base-url https://a.example/ --dry-run=yes", /^--dry-run takes no value, and "yes" is one\.$/],
  ["export site --base-url https://a.example/ --json=", /^--json takes no value/],
  ["export site --base-url https://a.example/ --segment-size 0", /not a whole number from 1 to 65536\.$/],
  ["export site --base-url https://a.example/ --segment-size 1e3", /not a whole number/],
  ["export site --base-url https://a.example/ --digest some", /not one of all, changed, none\.$/],
  ["export site --base-url https://a.example/ --site https://a.example/", /--site .* --config is missing\.$/],
  ["export --config c.json --site a.example", /not an http or https URL\.$/],
  ["init", /^docroot is missing\.$/],
  ["init site --force", /^--force needs --write/],
  ["init site --server 127.0.0.1", /not an http or https URL\.$/],
  ["status", /^No site is named/],
  ["status --config c --state s", /exclude each other\.$/],
  ["status --state s --site https://a.example/", /--site/],
  ["status --state s --max-age 26", /not a time span\.$/],
  ["status --state s --max-age 0h", /not a time span\.$/],
  ["status --state s --json --openmetrics", /exclude each other\.$/],
  ["export site --base-url https://a.example/ --urls l --urls-format xml", /not one of tsv, csv, jsonl\.$/],
  ["export site --base-url https://a.example/ --urls l --urls m", /^--urls is given more than once\.$/],
  ["export site --base-url https://a.example/ --urls l --probe --probe-delay 250", /not a time span such as 250ms/],
  ["export site --base-url https://a.example/ --urls l --probe --probe-concurrency 65", /from 1 to 64\.$/],
  ["export site --base-url https://a.example/ --map /s/", /^--map "\/s\/": not a path of the site, = and a folder/],
  ["export site --base-url https://a.example/ --map s/=x", /^--map "s\/=x": not a path/],
  ["export site --base-url https://a.example/ --map /s/=", /^--map "\/s\/=": not a path/],
  ["verify", /^url is missing\.$/],
  ["verify example.org", /not an http or https URL\.$/],
  ["verify https://a.example/ --sample 0", /not a whole number from 1/],
  ["verify https://a.example/ --sample 5 --all", /exclude each other\.$/],
  ["crawl --into m", /^url is missing\.$/],
  ["crawl https://a.example/", /^--into is missing\.$/],
  ["crawl https://a.example/ --into m --site https://a.example/", /--config is missing\.$/],
  ["crawl http:///a.example --into m", /not an http or https URL\.$/],
  ["crawl htp://u:secret@a.example/ --into m", /^The address "htp:\/\/…@a\.example\/": not an http/],
  ["crawl --sites s --min-interval 2d --max-interval 1m", /^--min-interval is longer than --max-interval\.$/],
  ["crawl --sites s --look-least 2d --max-interval 1m", /^--min-interval is longer than --max-interval\.$/],
  ["crawl --sites s --look-least 2d --min-interval 2d", /^--min-interval is given more than once\.$/],
  ["crawl https://a.example/ --into", /^--into needs a value\.$/],
  ["crawl https://a.example/ --into --types text/html", /^--into needs a value\.$/],
  ["crawl https://a.example/ --into -x", /^--into needs a value\.$/],
  ["crawl https://a.example/ --into m -x", /^Unknown option: -x\.$/],
  ["-- crawl https://a.example/ --into m", /^No command is given\.$/],
  ["crawl https://a.example/ --into m --types", /^--types needs a value\.$/],
  ["crawl https://a.example/ --into=", /^--into needs a value\.$/],
  ["--json exprot", /^Unknown option: --json\.$/],
  ["sites m https://a.example/ x y", /^One argument too many: x\.$/],
  ["crawl --config c.json --site a.example", /not an http or https URL\.$/],
  ["crawl https://a.example/ --into m --budget -1", /--budget/],
  ["crawl https://a.example/ --into m --pages-before-rest 0", /--pages-before-rest/],
  ["crawl https://a.example/ --into m --k 0", /^--pages-before-rest "0": not a whole number/],
  ["crawl https://a.example/ --into m -w -1", /^--rest "-1": not a whole number/],
  ["crawl https://a.example/ --into m --r 0", /^--connections "?0"?: not a whole number/],
  ["crawl https://a.example/ --into m -k 5 --pages-before-rest 6", /^--pages-before-rest is given more than once\.$/],
  ["crawl https://a.example/ --into m --crawl-delay 0.5", /--crawl-delay/],
  ["crawl https://a.example/ --into m --types html", /not media types\.$/],
  ["crawl https://a.example/ --into m --since yesterday", /not a date\.$/],
  ["crawl https://a.example/ --into m --since 2026-02-30", /not a date\.$/],
  ["crawl https://a.example/ --into m --since 2026-13-01", /not a date\.$/],
  ["crawl https://a.example/ --into m --since 2026-11-20T25:00", /not a date\.$/],
  ["changes https://a.example/ --format xml", /not one of urls, tsv, json\.$/],
  ["changes https://a.example/ --json --format tsv", /exclude each other\.$/],
  ["changes https://a.example/ --cursor c --since 2026-11-20", /exclude each other\.$/],
  ["serve site --port 65536", /not a whole number from 0 to 65535\.$/],
  ["demo --pages 99", /not a whole number from 100 to 100000\.$/],
];

describe("the command line", () => {
  for (const line of accepted) {
    it(`takes \`${line}\``, () => {
      assert.equal(parse(line).kind, "run");
    });
  }
  for (const [line, message] of refused) {
    it(`refuses \`${line}\``, () => {
      assert.match(failureOf(line).message, message);
    });
  }

  it("suggests what was probably meant", () => {
    for (const line of ["export site --base-url example.org", "crawl example.org --into m"])
      assert.match(failureOf(line).hint ?? "", /https:\/\/example\.org\//, line);
    assert.match(failureOf("exprot").hint ?? "", /`tidemark export`/);
    assert.match(failureOf("lab run orders").hint ?? "", /npm run lab/);
    assert.match(failureOf("crawl https://a.example/ --into m --bugdet 3").hint ?? "", /--budget/);
    assert.doesNotMatch(failureOf("crawl https://a.example/ --into m --zzz 3").hint ?? "", /Did you mean/);
  });

  it("completes commands and options for a shell", () => {
    const completionsOf = (line: string): readonly string[] => {
      const parsed = parse(`--get-yargs-completions tidemark ${line}`);
      return parsed.kind === "print"
        ? parsed.text
            .trim()
            .split("\n")
            .map((word) => word.split(":")[0] ?? "")
        : [];
    };
    const script = parse("completion");
    assert.ok(script.kind === "print" && script.text.includes("tidemark --get-yargs-completions"));
    assert.ok(completionsOf("cra").includes("crawl"));
    const options = completionsOf("crawl --max-");
    assert.ok(options.includes("--max-interval") && !options.includes("--look-most"));
  });

  it("prints the version", () => {
    assert.deepEqual(parse("--version"), { kind: "print", text: "1.2.3\n", isPaged: false });
  });

  for (const command of ["", "export ", "init ", "status ", "crawl ", "changes ", "serve ", "demo "]) {
    it(`explains \`tidemark ${command}--help\` in 80 columns`, () => {
      const line = parse(`${command}--help`);
      assert.ok(line.kind === "print");
      assert.match(line.text, command === "" ? /Commands:/ : /Examples:\n {2}tidemark /);
      for (const row of line.text.split("\n")) assert.ok(row.length <= 80, row);
    });
  }

  it("takes -h for --help, with a command and without", () => {
    for (const command of ["", "crawl ", "feed "])
      assert.deepEqual(parse(`${command}-h`), parse(`${command}--help`), command);
    assert.match(failureOf("export site --base-url https://a.example/ -- -h").message, /One argument too many: -h/);
  });

  it("takes what follows -- as arguments, also those that begin with a dash", () => {
    const argumentsOf = (usage: string, ...words: string[]): RawArguments => {
      let got: RawArguments = {};
      const plan = (args: RawArguments) => {
        got = args;
        return () => assert.fail("not run");
      };
      const facts = { describe: "", positionals: { first: "", second: "" }, options: {}, examples: [] };
      const program = { name: "program", about: "", commands: [{ usage, plan, ...facts }] };
      parseCommandLine(["do", ...words], "1.2.3", 80, program);
      return got;
    };
    const one = argumentsOf("do <first> [second]", "--", "-a", "--json");
    assert.deepEqual([one.first, one.second, one.json], ["-a", "--json", undefined]);
    const two = argumentsOf("do <first> [second]", "a", "--json", "--", "-b");
    assert.deepEqual([two.first, two.second, two.json], ["a", "-b", true]);
    assert.deepEqual(argumentsOf("do <first> [second..]", "a", "b", "--", "-c", "-d").second, ["b", "-c", "-d"]);
  });

  it("names the kinds of values", () => {
    const textOf = (line: string): string => {
      const parsed = parse(line);
      return parsed.kind === "print" ? parsed.text : "";
    };
    assert.match(textOf("serve --help"), /^ {6}--port N {2,}\S/m);
    assert.match(textOf("crawl --help"), /^ {2}-r, --connections N {2,}\S/m);
    assert.match(textOf("top --help"), /--openmetrics \[FILE\]/);
    assert.doesNotMatch(textOf("crawl --help"), /\[string\]|\[boolean\]/);
  });

  it("shows the options of long commands in groups that leave none out", () => {
    for (const command of tidemark.commands.filter(({ options }) => Object.keys(options).length > 20)) {
      const groups = groupOptions(command);
      assert.ok(groups.length > 3, command.usage);
      assert.ok(!groups.some(({ title }) => title === "Other"), `${command.usage}: an option without a group`);
      const named = Object.values(command.groups ?? {}).flat();
      const known = new Set(Object.values(command.options).map(({ option }) => option));
      assert.deepEqual(
        named.filter((name) => !known.has(name)),
        [],
      );
      assert.equal(new Set(named).size, named.length);
    }
    const help = parse("crawl --help");
    assert.ok(help.kind === "print" && help.text.includes("\nPoliteness:\n"));
  });

  it("breaks a long example only where a shell reads on", () => {
    const help = parse("export --help");
    assert.ok(help.kind === "print");
    assert.match(help.text, /--ignore \\\n {4}'\/built at \[\^<\]\*\/'\n/);
  });

  it("prints scripts for bash, zsh and fish", () => {
    const scriptOf = (line: string): string => {
      const parsed = parse(line);
      return parsed.kind === "print" ? parsed.text : "";
    };
    assert.match(scriptOf("completion bash"), /complete .*-F _tidemark tidemark/);
    assert.match(scriptOf("completion zsh"), /^#compdef tidemark\n/);
    const fish = scriptOf("completion fish");
    assert.match(fish, /__fish_use_subcommand' -f -a crawl -d /);
    assert.match(fish, /__fish_seen_subcommand_from crawl' -l into -r -d /);
    assert.doesNotMatch(fish, /http1|look-most/);
    assert.match(failureOf("completion tcsh").message, /not one of bash, zsh, fish/);
  });

  it("does not tell of an option that no longer has an effect", () => {
    const help = parse("crawl --help");
    assert.ok(help.kind === "print" && help.text.includes("--allow-private") && !help.text.includes("--http1"));
    assert.ok(help.text.includes("--max-interval") && !help.text.includes("--look-most"));
    assert.doesNotMatch(failureOf("crawl https://a.example/ --into m --look-lest 1m").hint ?? "", /look-least/);
  });

  it("knows where JSON is wanted", () => {
    const json = (line: string): boolean => {
      const parsed = parse(line);
      return parsed.kind === "run" && parsed.json;
    };
    assert.ok(json("demo --json"));
    assert.ok(json("changes https://a.example/ --format json"));
    assert.ok(!json("changes https://a.example/ --format tsv"));
  });
});
