import { join } from "node:path";
import { type Change, type EpochSeconds, TidemarkError } from "../../core/index.ts";
import { type ArchiveName, parseBaseList, publishedFolder } from "../../formats/archive/index.ts";
import { ArchiveFiles } from "./archive-files.ts";
import { readPublishedIndex } from "./published-files.ts";

/** Which changes are read. */
export interface ReadPublicationOptions {
  /** A document root that was exported. */
  readonly documentRoot: string;
  /** In seconds since 1970, as an export's summary says. @default the newest */
  readonly publication?: EpochSeconds;
}

/**
 * Reads what one publication changed, from the archives in the document root; each path once. Of the first publication
 * of an epoch all pages are created. Memory is one archive.
 *
 * @throws TidemarkError `no-archives` if nothing is published there, or if its changes are not kept any more;
 *   `archive-corrupt`
 * @example
 * ```ts
 * const summary = await exportSite({ docroot: "/var/www/html", baseUrl: "https://example.org/" });
 * if (summary.published)
 *   for await (const change of readPublication({ documentRoot: "/var/www/html", publication: summary.publication }))
 *     console.log(change.kind);
 * ```
 */
export async function* readPublication(options: ReadPublicationOptions): AsyncGenerator<Change, void, void> {
  const folder = join(options.documentRoot, publishedFolder.slice(1));
  const index = (await readPublishedIndex(folder))?.index;
  const hint = "Changes of the newest 16 publications can be read.";
  if (index === undefined) throw new TidemarkError("no-archives", `Nothing is published in ${folder}.`, { hint });
  const { publication = index.publication } = options;
  const files = new ArchiveFiles(folder);
  const ending = index.archives.map(({ name }) => name).filter(({ to }) => to === publication);
  // Of intervals with one end, the shortest holds the changes of that publication alone.
  const from = ending.reduce((latest, name) => Math.max(latest, name.from), 0);
  let names: readonly ArchiveName[] = ending.filter((name) => name.from === from);
  if (names.length === 0) {
    const isFirst = index.base.name.to === publication;
    const base = isFirst ? parseBaseList(await files.readContent(index.base.name)) : undefined;
    if (base?.ok !== true)
      throw new TidemarkError("no-archives", `The changes of publication ${publication} are not in ${folder}.`, {
        hint,
      });
    names = base.value.archives.map(({ name }) => name);
  }
  for (const name of names) yield* await files.read(name);
}
