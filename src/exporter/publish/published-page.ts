import type { Page } from "../../core/index.ts";
import type { ContentMark } from "../../formats/html/index.ts";

/**
 * What a page is made of besides its own file, where the web server processes includes in it. What is served has
 * neither the file's size nor its digest, so the page is published without both.
 */
export interface PageIncludes {
  /** Length of the page's own file in bytes. */
  readonly fileBytes: number;
  /** Digest of the page's own file. */
  readonly fileDigest: string;
  /** Encoded URL paths of the included files, nested ones too, in the order in which they are met. */
  readonly parts: readonly string[];
  /** Of the parts' sizes and times: while it is the same, none was written to. */
  readonly stamp: string;
  /** Of the parts' contents: while it is the same, they are. */
  readonly contentDigest: string;
  /** Whether the page also shows what no file tells, such as the output of `exec` or the time of day. */
  readonly isDynamic: boolean;
}

/** Most that the paths of a page's parts may have together, in characters, one between two counted too. */
export const maxPartsLength = 16_384;

/** What the exporter remembers of a page that it published: the page, and its file. */
export interface PublishedPage extends Page {
  /** The file's own times when it was last looked at, in microseconds since 1970. */
  readonly mtimeUs: number;
  readonly ctimeUs: number;
  /** The file may have been written to after it was looked at: look again, whatever its times say. */
  readonly racy: boolean;
  /** Of the file's place in the file system; undefined where an earlier version wrote it, and of what is no file. */
  readonly stamp?: number | undefined;
  /** What of its bytes counts, where rules say so; a page with a cover has no digest of its own. */
  readonly mark?: ContentMark | undefined;
  /** What it includes, if it does; then it has neither size nor digest of its own. */
  readonly includes?: PageIncludes | undefined;
}

/** A page that was published once and is there no more. */
export interface GonePage {
  readonly path: string;
  readonly isGone: true;
}

/** What a part of the exporter's memory says of a path; a later part may say something else. */
export type RememberedPage = PublishedPage | GonePage;

/** Whether a page is there no more. */
export function isGone(page: RememberedPage): page is GonePage {
  return "isGone" in page;
}
