import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRandom, pickInteger, type Random } from "../core/index.ts";
import type { DemoKind, DemoPage } from "./site-plan.ts";

export interface Templates {
  readonly byKind: Readonly<Record<DemoKind, Buffer>>;
  readonly words: readonly string[];
}

/** The folder of the package that this module belongs to. */
export function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json")) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

/** Reads the templates in `fixtures/demo`. */
export async function readTemplates(): Promise<Templates> {
  const read = (name: string): Promise<Buffer> => readFile(join(packageFolder(), "fixtures", "demo", name));
  const [html, text, svg, css, png, words] = await Promise.all(
    ["page.html", "note.txt", "figure.svg", "style.css", "dot.png", "words.txt"].map(read),
  );
  if (!html || !text || !svg || !css || !png || !words) throw new RangeError("a template is missing");
  return { byKind: { html, text, svg, css, png }, words: words.toString("utf8").trim().split(/\s+/) };
}

/**
 * Makes a page's bytes.
 *
 * @param revision - from 1; another revision has other words
 */
export function renderPage(page: DemoPage, revision: number, templates: Templates): Buffer {
  const template = templates.byKind[page.kind];
  if (page.kind === "png") return template;
  const random = createRandom(page.seed + revision * 7919);
  const { words } = templates;
  const separator = page.kind === "html" ? "\n" : "\n\n";
  const values: Readonly<Record<string, () => string>> = {
    title: () => capitalised(takeWords(words, createRandom(page.seed), 4)),
    revision: () => String(revision),
    body: () => paragraphs(words, random, page.kind === "html").join(separator),
    line: () => `M0 30${Array.from({ length: 24 }, (_, at) => ` L${5 * at} ${pickInteger(random, 60)}`).join("")}`,
    colour: () =>
      `#${pickInteger(random, 1 << 24)
        .toString(16)
        .padStart(6, "0")}`,
  };
  return Buffer.from(template.toString("utf8").replace(/\{\{(\w+)\}\}/g, (_, key: string) => values[key]?.() ?? ""));
}

function paragraphs(words: readonly string[], random: Random, tagged: boolean): string[] {
  return Array.from({ length: 3 + pickInteger(random, 8) }, () => {
    const text = `${capitalised(takeWords(words, random, 30 + pickInteger(random, 60)))}.`;
    return tagged ? `<p>${text}</p>` : text;
  });
}

function takeWords(words: readonly string[], random: Random, count: number): string {
  return Array.from({ length: count }, () => words[pickInteger(random, words.length)]).join(" ");
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
