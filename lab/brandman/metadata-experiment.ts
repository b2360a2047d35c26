import type { LabRow } from "../../src/core/lab-result.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { brandmanPaper } from "../experiment/papers.ts";
import type { RealSite } from "../experiment/ports.ts";
import { asRounded, asWorded, type PublishedNumber } from "../experiment/published.ts";
import { type MetadataSize, measureMetadata } from "./metadata-size.ts";

const forms = ["paper", "tidemark"] as const;
type Form = (typeof forms)[number];

const formTitles: Readonly<Record<Form, string>> = { paper: "the paper's entries", tidemark: "our lines" };

/** The row of the site that has the most pages. */
function rowOf(rows: readonly LabRow[], form: Form): LabRow | undefined {
  return rows
    .filter((row) => row.form === form)
    .reduce<LabRow | undefined>(
      (best, row) => (best === undefined || Number(row.pages) > Number(best.pages) ? row : best),
      undefined,
    );
}

function publishedOf(form: Form, column: string, number: Omit<PublishedNumber, "ours">): PublishedNumber {
  return {
    ...number,
    name: `${number.name} (${formTitles[form]})`,
    ours: (rows) => {
      const row = rowOf(rows, form);
      return row === undefined ? undefined : Number(row[column]);
    },
  };
}

function siteOf(name: string, root: string, pages: number): RealSite {
  if (name === "folder") return { kind: "folder", root };
  return name === "documents" ? { kind: "documents" } : { kind: "demonstration", pages };
}

/** Sections 3.2 and 3.4: how large the meta-data of real sites is. */
export const metadataExperiment: Experiment = defineExperiment({
  name: "metadata",
  title: "Size of meta-data",
  paper: `${brandmanPaper}, sections 3.2 to 3.4`,
  about:
    "Real files are exported by the real exporter, and what it published is measured. The same pages in the same archives are " +
    "also written as the paper's entries. Without a folder the site of `tidemark demo` and this package's own documents are measured; " +
    "the published numbers are held against the site with the most pages.",
  parameters: {
    root: {
      kind: "text",
      isOwnData: true,
      default: "",
      meaning: "folder of a site; without one, the sites that the package has",
    },
    pages: {
      kind: "whole",
      default: 20_000,
      quick: 3000,
      min: 100,
      max: 100_000,
      meaning: "pages of the demonstration site",
    },
  },
  columns: [
    { name: "site", meaning: "demonstration, documents (this package's) or folder" },
    { name: "form", meaning: "tidemark: as published; paper: the same pages as section 3.2 writes them" },
    { name: "pages", meaning: "entries" },
    { name: "meanPage", meaning: "mean size of a page, in bytes" },
    { name: "archives", meaning: "archives of the whole site" },
    { name: "plain", meaning: "an entry before compression, in bytes" },
    { name: "packed", meaning: "an entry in the archives as they are served, in bytes" },
    { name: "factor", meaning: "how many times smaller compression makes entries" },
    { name: "share", meaning: "archives by all pages, in bytes" },
    { name: "largest", meaning: "the largest archive, in bytes as it is served" },
    {
      name: "listing",
      meaning: "index, list of archives and the block in robots.txt, in bytes; null for the paper, which has none",
    },
  ],
  published: forms.flatMap((form) => [
    publishedOf(form, "plain", {
      name: "bytes of an entry, uncompressed",
      where: "section 3.2",
      theirs: "64",
      format: "number",
      tolerance: asRounded(64, 1),
      explanation: {
        expected: [50, 140],
        why:
          form === "paper"
            ? "Paths of this site are not the 30 characters long that the paper assumes."
            : "Paths of this site are not the 30 characters long that the paper assumes, and a line also has a digest, a media type and a kind of change.",
      },
    }),
    publishedOf(form, "packed", {
      name: "bytes of an entry, compressed, at most",
      where: "section 3.4",
      theirs: "22",
      format: "number",
      tolerance: asWorded(0, 22),
      explanation: { expected: [22, 60], why: "Few pages: what a file of gzip begins and ends with counts for more." },
    }),
    publishedOf(form, "factor", {
      name: "compression makes entries smaller, at least by a factor of",
      where: "section 3.2",
      theirs: "three",
      format: "number",
      tolerance: asWorded(2.5, 20),
    }),
    publishedOf(form, "share", {
      name: "meta-data by the site's bytes, at most",
      where: "section 3.4",
      theirs: "0.16 %",
      format: "percent",
      tolerance: asWorded(0, 0.001_65),
      explanation: {
        expected: [0.001_65, 0.02],
        why: "Pages of this site are smaller than the 13 KB of the paper's servers; an entry is as large for a small page.",
      },
    }),
    publishedOf(form, "largest", {
      name: "bytes of the largest archive, at most",
      where: "section 3.3",
      theirs: "about 42 KB",
      format: "number",
      tolerance: asWorded(0, 42_500),
      explanation: {
        expected: [42_500, 90_000],
        why: "Paths of this site are long, and 2,000 digests are 16 KB that nothing compresses.",
      },
    }),
  ]),
  points: ({ root }) =>
    root === "" ? [{ name: "demonstration", weight: 4 }, { name: "documents" }] : [{ name: "folder" }],
  run: async ({ name }, { root, pages }, { ports, onProgress }) => {
    await using site = await ports.exportSite(siteOf(name, root, pages));
    const sizes = await measureMetadata(site, ports.pack, onProgress);
    return forms.map((form) => toRow(name, form, sizes[form], form === "tidemark" ? site.listingBytes : null));
  },
  figures: (rows) => [
    {
      name: "metadata-entry",
      title: "Bytes of an entry",
      caption:
        "Mean size of an entry on real sites, before and after compression. Brandman et al., sections 3.2 and 3.4: 64 and 22.",
      x: { label: "Site", kind: "names" },
      y: { label: "Bytes", kind: "linear" },
      marks: [
        { kind: "guide", of: "theirs", name: "64 before compression", axis: "y", at: 64 },
        { kind: "guide", of: "theirs", name: "22 compressed", axis: "y", at: 22 },
        ...forms.flatMap((form) =>
          (["plain", "packed"] as const).map((column) => ({
            kind: "bars" as const,
            of: "ours" as const,
            name: `${formTitles[form]}, ${column === "plain" ? "before compression" : "compressed"}`,
            points: rows
              .filter((row) => row.form === form)
              .map((row) => ({ x: String(row.site), y: Number(row[column]) })),
          })),
        ),
      ],
    },
  ],
});

function toRow(site: string, form: Form, size: MetadataSize, listing: number | null): LabRow {
  const { pages, pageBytes, archives, plainBytes, packedBytes, largestBytes } = size;
  return {
    site,
    form,
    pages,
    meanPage: pageBytes / pages,
    archives,
    plain: plainBytes / pages,
    packed: packedBytes / pages,
    factor: plainBytes / packedBytes,
    share: packedBytes / pageBytes,
    largest: largestBytes,
    listing,
  };
}
