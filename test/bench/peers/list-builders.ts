import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, requireCached } from "../../interop/programs.ts";

/** Another program that makes a list of a site's pages. */
export interface ListBuilder {
  readonly name: string;
  /** Pages that it lists, of a site of so many. */
  readonly pagesOf: (files: number) => number;
  /** Its command line, and what it leaves in the document root. */
  readonly prepare: (docroot: string, pages: number, folder: string) => readonly string[];
  readonly leaves: readonly string[];
}

const generatorVersion = "2.2.8";

/** An npm package that makes sitemaps from files, installed at its first use. */
function findGenerator(): string {
  const folder = join(cacheFolder(), `static-sitemap-cli-${generatorVersion}`);
  const program = join(folder, "node_modules", ".bin", "sscli");
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    const installed = spawnSync("npm", [
      "install",
      "--silent",
      "--prefix",
      folder,
      `static-sitemap-cli@${generatorVersion}`,
    ]);
    if (installed.status !== 0) throw new Error(`static-sitemap-cli cannot be installed: ${installed.stderr}`);
  }
  return program;
}

/** resync refuses more than 50,000 pages, also with --multifile ("multifile disabled"). */
const mostOfResync = 50_000;
/** Files in each of the folders directly below the root that the benchmark makes. */
const filesASection = 5000;

/** The builders to compare with: ResourceSync's own, and one of sitemaps. */
export const listBuilders: readonly ListBuilder[] = [
  {
    name: "resync-build --write-resourcelist",
    pagesOf: (files) => Math.min(files, mostOfResync),
    prepare: (docroot, pages, folder) => {
      const sections = readdirSync(docroot)
        .filter((name) => name.startsWith("section-"))
        .slice(0, pages / filesASection);
      return [
        join(requireCached("resync-1"), "bin", "resync-build"),
        "--write-resourcelist",
        "--outfile",
        join(folder, "resourcelist.xml"),
        ...sections.map((name) => `http://localhost/${name}/=${join(docroot, name)}`),
      ];
    },
    leaves: [],
  },
  {
    name: "sscli (static-sitemap-cli), all files",
    pagesOf: (files) => files,
    prepare: (docroot) => [
      ...[findGenerator(), "--base", "http://localhost", "--root", docroot],
      ...["--match", "**/*", "--format", "xml", "--no-robots"],
    ],
    leaves: ["sitemap.xml"],
  },
];

/** Removes what a builder left in the document root. */
export function cleanAfter({ leaves }: ListBuilder, docroot: string): void {
  for (const name of leaves) rmSync(join(docroot, name), { force: true });
}
