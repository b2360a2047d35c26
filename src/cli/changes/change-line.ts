import type { Change } from "../../core/index.ts";
import type { CrawlChange } from "../../crawler/index.ts";

/** The forms in which `changes` prints a change. */
export const changeFormats = ["urls", "tsv", "json"] as const;

/** How `changes` prints a change. */
export type ChangeFormat = (typeof changeFormats)[number];

function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}

/**
 * Writes a change as a line, with its LF.
 *
 * @returns as `urls`, an empty text for a deletion; as `tsv`: change, last-modified, size in bytes, media type,
 *   digest, URL, with `-` for what is not known
 */
export function formatChange(change: Change, origin: string, format: ChangeFormat): string {
  if (change.kind === "deleted") {
    const url = origin + change.path;
    if (format === "urls") return "";
    if (format === "tsv") return `deleted\t-\t-\t-\t-\t${url}\n`;
    return `${JSON.stringify({ change: "deleted", url })}\n`;
  }
  const { path, sizeBytes, lastModified, mediaType, digest } = change.page;
  const url = origin + path;
  const time = isoTime(lastModified);
  if (format === "urls") return `${url}\n`;
  if (format === "tsv") return `${change.kind}\t${time}\t${sizeBytes ?? "-"}\t${mediaType}\t${digest ?? "-"}\t${url}\n`;
  return `${JSON.stringify({ change: change.kind, url, lastModified: time, sizeBytes, mediaType, digest })}\n`;
}

/**
 * Writes what a crawler saw as a line, with its LF; `urls` and `tsv` as {@link formatChange} does. As JSON, of a file
 * whose name is not UTF-8 the bytes are told in base64, as `fileBase64`.
 */
export function formatCrawlChange(seen: CrawlChange, format: ChangeFormat): string {
  const { site, path, kind, page, url, at, reason, file, object, usage } = seen;
  if (format !== "json") {
    if (kind === "deleted" || page === undefined) return formatChange({ kind: "deleted", path }, site, format);
    return formatChange({ kind, page }, site, format);
  }
  const line = {
    change: kind,
    url,
    seenAt: isoTime(at),
    sizeBytes: page?.sizeBytes,
    digest: page?.digest,
    lastModified: page === undefined ? undefined : isoTime(page.lastModified),
    mediaType: page?.mediaType,
    ...(typeof file === "object" ? { fileBase64: Buffer.from(file).toString("base64") } : { file }),
    object,
    reason,
    usage,
  };
  return `${JSON.stringify(line)}\n`;
}
