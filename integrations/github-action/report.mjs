// Reads the events of `tidemark export --json`, and writes the outputs, annotations and summary of a step.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** The most changed pages that the summary shows. */
const shownPages = 50;
const { GITHUB_OUTPUT, GITHUB_STEP_SUMMARY } = process.env;

// https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands: a line break would begin another command.
const annotate = (level, text) =>
  console.log(`::${level}::${text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")}`);

const pages = [];
for await (const line of createInterface({ input: process.stdin })) {
  const event = JSON.parse(line);
  if (event.event === "page" && event.change !== "touched" && pages.length < shownPages) pages.push(event);
  if (event.event === "warning") annotate("warning", event.message);
  if (event.event === "item-error") annotate("error", event.message);
  if (event.event === "error") annotate("error", `${event.message} ${event.hint ?? ""}`);
  if (event.event !== "summary") continue;
  const { created, updated, deleted, published } = event;
  const changed = created + updated + deleted;
  const outputs = { changed, created, updated, deleted, published, summary: line };
  const lines = Object.entries(outputs).map(([name, value]) => `${name}=${value}\n`);
  appendFileSync(GITHUB_OUTPUT, lines.join(""));
  const more = changed > pages.length ? [`- and ${changed - pages.length} more`] : [];
  const rows = [
    `### Tidemark: ${published ? `${changed} changed pages` : "nothing changed"}`,
    "",
    "| pages | created | updated | deleted | unchanged | held back |",
    "|---|---|---|---|---|---|",
    `| ${[event.pages, created, updated, deleted, event.unchanged, event.withheld].join(" | ")} |`,
    "",
    // Paths are percent-encoded: no backtick ends the code.
    ...pages.map(({ change, path }) => `- ${change} \`${path}\``),
    ...more,
  ];
  appendFileSync(GITHUB_STEP_SUMMARY, `${rows.join("\n")}\n`);
  console.log(`${changed} of ${event.pages} pages changed.`);
}
