import { type ExportEvent, type ExportSummary, shortenPath, type WithholdRule } from "../../core/index.ts";
import { formatCount, formatNoun } from "../terminal/quantity.ts";
import { formatTable } from "../terminal/text-layout.ts";

const examplesShown = 2;
const exampleLength = 26;

/** What a rule is, and what lets out what it holds back. */
interface RuleText {
  readonly what: string;
  readonly wayOut: string;
}

const byName = "--include '**' and --include with its name";

const rules: Readonly<Record<WithholdRule, RuleText>> = {
  hidden: { what: "name begins with a dot", wayOut: byName },
  "version-control": { what: "version control", wayOut: "a copy under another name" },
  backup: { what: "editor's or backup file", wayOut: byName },
  "server-configuration": { what: "configuration", wayOut: byName },
  "server-source": { what: "source of a server-side script", wayOut: byName },
  "private-data": { what: "private data", wayOut: byName },
  "unknown-type": {
    what: "type that sites do not publish",
    wayOut: "--include '**' and --include '**/*.ending', or '**/name' if it has no ending",
  },
  unreadable: { what: "server could not read it", wayOut: "let the server's user read it" },
  "outside-root": { what: "link out of the docroot", wayOut: "copy it into the docroot, or --map /prefix/=folder" },
  "broken-link": { what: "link to a file that is missing", wayOut: "mend the link" },
  "link-loop": { what: "link to a folder above", wayOut: "link to another folder" },
  "not-a-file": { what: "neither file nor folder", wayOut: "put a file there" },
  "own-output": { what: "written by tidemark itself", wayOut: "nothing: it is public already" },
  "robots-disallow": { what: "robots.txt disallows it for all", wayOut: "allow it there" },
  excluded: { what: "--exclude", wayOut: "change --exclude" },
  "not-included": { what: "not in --include", wayOut: "add an --include" },
  "name-too-long": { what: "URL would be too long", wayOut: "shorten its path" },
  noindex: { what: "page asks not to be indexed", wayOut: "--noindex-pages, or change the page" },
  "folder-link": { what: "link to a folder of the site", wayOut: "--folder-links follow" },
  shadowed: { what: "--map puts another folder there", wayOut: "map to another prefix" },
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
    if (changed === 0)
      sections.push(`Nothing new would become public (${formatNoun(summary.pages, "page")} published before).\n`);
    for (const [change, types] of this.#public) {
      sections.push(
        `Would be published as ${change}:\n${formatTable(
          tallyRows(types, (type) => type),
          "rll",
        )}`,
      );
    }
    if (summary.includes !== undefined) sections.push(`${describeIncludes(summary.includes)}.\n`);
    if (this.#withheld.size === 0) sections.push("Nothing is held back.\n");
    else {
      sections.push(
        `Would be held back:\n${formatTable(
          tallyRows(this.#withheld, (rule) => rules[rule].what),
          "rll",
        )}`,
        `What would publish it all the same:\n${formatTable(
          [...this.#withheld.keys()].map((rule) => [`  ${rules[rule].what}`, rules[rule].wayOut]),
          "ll",
        )}`,
      );
    }
    return sections.join("\n");
  }
}

/** Pages with server-side includes, in words. */
export function describeIncludes({ pages, dynamic }: NonNullable<ExportSummary["includes"]>): string {
  const more =
    dynamic === 0 ? "" : `;\n  of these, ${formatCount(dynamic)} with output that no file holds, such as that of exec`;
  return `${formatNoun(pages, "page")} with server-side includes (--ssi), without size and digest${more}`;
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
    return [
      `  ${formatCount(tally.count)}`,
      name(key),
      `${tally.examples.map((path) => shortenPath(path, exampleLength)).join(" ")}${more}`,
    ];
  });
}
