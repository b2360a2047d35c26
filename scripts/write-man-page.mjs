// Writes dist/man/tidemark.1 from the commands' own definitions, after tsc: node scripts/write-man-page.mjs
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { tidemark } from "../dist/src/cli/command-line.js";
import { commonOptions } from "../dist/src/cli/terminal/command.js";
import { groupOptions } from "../dist/src/cli/terminal/help-text.js";
import { signatureOf } from "../dist/src/config/index.js";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { version, description } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const { SOURCE_DATE_EPOCH: epoch } = process.env;
const day = (epoch === undefined ? new Date() : new Date(Number(epoch) * 1000)).toISOString().slice(0, 10);

/** A text as troff takes it literally. */
const escape = (text) =>
  text.replaceAll("\\", "\\(rs").replaceAll("-", "\\-").replaceAll("'", "\\(aq").replaceAll("`", "\\(ga").replaceAll("^", "\\(ha").replaceAll("~", "\\(ti");
/** A line that does not begin a request. */
const line = (text) => (/^[.']/.test(text) ? `\\&${text}` : text);
/** Markdown of a setting: code becomes bold, links become their words. */
const prose = (markdown) =>
  markdown
    .replace(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .split(/(`[^`]+`)/)
    .map((part) => (/^`.+`$/.test(part) ? `\\fB${escape(part.slice(1, -1))}\\fR` : escape(part)))
    .join("");
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function formatOption(setting) {
  const { option, alias, doc, describe, default: usual, kind } = setting;
  const names = [...(alias === undefined ? [] : [`-${alias}`]), `--${option}`].map((name) => {
    const [word, ...value] = signatureOf(setting, name).split(" ");
    return `\\fB${escape(word)}\\fR${value.length === 0 ? "" : ` \\fI${escape(value.join(" "))}\\fR`}`;
  });
  const notes = [
    ...(usual === undefined ? [] : [usual.startsWith("required") ? usual : `default: ${usual}`]),
    ...(kind.form === "values" ? ["repeatable"] : []),
  ];
  const text = sentence(doc ?? describe) + (notes.length === 0 ? "" : ` (${notes.join("; ")})`);
  return [".TP", names.join(", "), line(prose(text))];
}

function formatCommand(command) {
  const { usage, describe, positionals, examples } = command;
  return [
    `.SS tidemark ${escape(usage)}`,
    line(`${prose(describe)}.`),
    ...Object.entries(positionals).flatMap(([name, text]) => [".TP", `\\fI${escape(name)}\\fR`, line(prose(text))]),
    ...groupOptions(command).flatMap(({ title, options }) => [
      ...(title === "" ? [] : [".PP", `\\fB${escape(title)}\\fR`]),
      ...options.flatMap(formatOption),
    ]),
    ...examples.flatMap(([example, meaning]) => [
      ".PP",
      line(`${sentence(prose(meaning))}:`),
      ".PP",
      ".RS 4",
      ".EX",
      `tidemark ${escape(example)}`,
      ".EE",
      ".RE",
    ]),
  ];
}

const page = [
  '.\\" Written by scripts/write-man-page.mjs: change the commands instead.',
  `.TH TIDEMARK 1 ${day} "tidemark ${version}" "User Commands"`,
  ".SH NAME",
  `tidemark \\- ${escape(description.charAt(0).toLowerCase() + description.slice(1).replace(/\.$/, ""))}`,
  ".SH SYNOPSIS",
  "\\fBtidemark\\fR \\fIcommand\\fR [\\fIarguments\\fR] [\\fIoptions\\fR]",
  ".PP",
  "\\fBtidemark\\fR \\fIcommand\\fR \\fB\\-\\-help\\fR",
  ".SH DESCRIPTION",
  line(prose(tidemark.about)),
  "Results go to standard output; progress, warnings and errors go to standard error.",
  ".SH OPTIONS",
  "Every command takes these:",
  ...Object.values(commonOptions).flatMap(formatOption),
  ".TP",
  "\\fB\\-h\\fR, \\fB\\-\\-help\\fR",
  "Show the help of a command.",
  ".TP",
  "\\fB\\-\\-version\\fR",
  "Show the version.",
  ".SH COMMANDS",
  ...tidemark.commands.flatMap(formatCommand),
  ".SH EXIT STATUS",
  ...exitStatus(),
  ".SH SEE ALSO",
  "The documents of the package, below \\fBdocs\\fR in its folder: operations.md for servers, mirrors.md for crawlers, cli.md for all commands.",
];

/** The table of docs/cli.md. */
function exitStatus() {
  const document = readFileSync(join(root, "docs/cli.md"), "utf8");
  const section = document.slice(document.indexOf("\n## Exit codes\n"), document.indexOf("\n## Error codes\n"));
  const rows = [...section.matchAll(/^\| `?(\d+)`? \| (.+) \|$/gm)];
  if (rows.length === 0) throw new Error("docs/cli.md has no table of exit codes");
  return rows.flatMap(([, code, meaning]) => [".TP", `\\fB${code}\\fR`, line(`${sentence(prose(meaning))}.`)]);
}

mkdirSync(join(root, "dist", "man"), { recursive: true });
writeFileSync(join(root, "dist", "man", "tidemark.1"), `${page.join("\n")}\n`);
