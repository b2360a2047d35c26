import type { Command } from "../../src/cli/terminal/command.ts";
import { groupOptions } from "../../src/cli/terminal/help-text.ts";
import { type Setting, signatureOf } from "../../src/config/setting.ts";

const head = "| option | default | |\n|---|---|---|\n";

/** The row of an option in a document. */
function formatRow(setting: Setting): string {
  const { option, alias, kind, default: usual, doc } = setting;
  const names = [`--${option}`, ...(alias === undefined ? [] : [`-${alias}`])]
    .map((name) => `\`${signatureOf(setting, name)}\``)
    .join(", ");
  const cells = [names, usual ?? (kind.form === "flag" ? "off" : ""), doc ?? inSentence(setting)];
  return `${cells.map((cell) => (cell === "" ? "|" : `| ${cell} `)).join("")}|\n`.replace("||", "| |");
}

/** The help text as a document goes on, with options as code; a first word in capitals stays. */
function inSentence({ describe, kind }: Setting): string {
  const text = describe.replace(/(?<!`[^`]*)--[a-z][a-z-]*/g, "`$&`");
  const begun = /^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
  return begun + (kind.form === "values" ? "; repeatable" : "");
}

/** The table of the options that stand in a document: those that are not deprecated. */
export function formatOptionTable(command: Pick<Command, "options" | "groups">): string {
  const rows = groupOptions(command).map(
    ({ title, options }) => (title === "" ? "" : `| **${title}** | | |\n`) + options.map(formatRow).join(""),
  );
  return head + rows.join("");
}

/**
 * Puts a table in the place of the first table of options after a heading.
 *
 * @returns the document, or undefined if the section has no such table
 */
export function replaceOptionTable(document: string, heading: string, table: string): string | undefined {
  const from = document.startsWith(`${heading}\n`) ? 0 : document.indexOf(`\n${heading}\n`);
  if (from === -1) return undefined;
  const next = document.indexOf("\n## ", from + heading.length);
  const to = next === -1 ? document.length : next;
  const [place] = /^\| option \|.*\n(?:\|.*\n)*/m.exec(document.slice(from, to)) ?? [];
  if (place === undefined) return undefined;
  const at = document.indexOf(place, from);
  return document.slice(0, at) + table + document.slice(at + place.length);
}
