import type { ExportEvent, ExportSummary, WithholdRule } from "../model/index.ts";
import { formatCount, formatNoun } from "./quantity.ts";
import { formatTable } from "./text-table.ts";

const examplesShown = 2;

const rules: Readonly<Record<WithholdRule, string>> = {
  hidden: "name begins with a dot",
  "version-control": "version control",
  backup: "editor's or backup file",
  "server-configuration": "server's configuration",
  "server-source": "source of a server-side script",
  "private-data": "private data",
  unreadable: "server could not read it",
  "outside-root": "link out of the docroot",
  "broken-link": "link to nothing",
  "link-loop": "link to a folder above",
  "not-a-file": "neither file nor folder",
  "own-output": "what tidemark itself wrote",
  "robots-disallow": "robots.txt disallows it for all",
  excluded: "--exclude",
  "not-included": "not in --include",
  "name-too-long": "URL would be too long",
  noindex: "page asks not to be indexed",
  shadowed: "--map puts another folder there",
};

interface Tally {
  count: number;
  readonly examples: string[];
}

/** Gathers what an export would make public, and what not. */
export class DryRunReport {
  readonly #public = new Map<string, Map<string, Tally>>();
  readonly #withheld = new Map<WithholdRule, Tally>();

  /** Takes a page. */
  addPage(event: Extract<ExportEvent, { event: "page" }>): void {
    if (event.change === "touched") return;
    const types = this.#public.get(event.change) ?? new Map<string, Tally>();
    this.#public.set(event.change, types);
    count(types, event.mediaType ?? "any type", event.path);
  }

  /** Takes a file that is held back. */
  addWithheld(event: Extract<ExportEvent, { event: "withheld" }>): void {
    count(this.#withheld, event.rule, event.path);
  }

  /** Both tables, the largest first. */
  format(summary: ExportSummary): string {
    const sections: string[] = [`Dry run for ${summary.site}: nothing was written.\n`];
    const changed = summary.created + summary.updated + summary.deleted;
    if (changed === 0) sections.push(`Nothing new would become public (${formatNoun(summary.pages, "page")} stand).\n`);
    for (const [change, types] of this.#public) {
      sections.push(
        `Would be published as ${change}:\n${formatTable(
          tallyRows(types, (type) => type),
          "rll",
        )}`,
      );
    }
    if (this.#withheld.size === 0) sections.push("Nothing is held back.\n");
    else {
      sections.push(
        `Would be held back:\n${formatTable(
          tallyRows(this.#withheld, (rule) => rules[rule]),
          "rll",
        )}`,
      );
    }
    return sections.join("\n");
  }
}

function count<K>(tallies: Map<K, Tally>, key: K, example: string): void {
  const tally = tallies.get(key) ?? { count: 0, examples: [] };
  tallies.set(key, tally);
  tally.count++;
  if (tally.examples.length < examplesShown) tally.examples.push(example);
}

function tallyRows<K>(tallies: ReadonlyMap<K, Tally>, name: (key: K) => string): string[][] {
  const sorted = [...tallies].sort(([, a], [, b]) => b.count - a.count);
  return sorted.map(([key, tally]) => {
    const more = tally.count > tally.examples.length ? " …" : "";
    return [`  ${formatCount(tally.count)}`, name(key), `${tally.examples.map(shorten).join(" ")}${more}`];
  });
}

function shorten(path: string): string {
  return path.length <= 26 ? path : `…${path.slice(-25)}`;
}
