import type { ContentMark } from "../content/index.ts";
import type { Page } from "../model/index.ts";

/** What the exporter remembers of a page that it published: the page, and its file. */
export interface PublishedPage extends Page {
  /** The file's own times when it was last looked at, in microseconds since 1970. */
  readonly mtimeUs: number;
  readonly ctimeUs: number;
  /** The file may have been written to after it was looked at: look again, whatever its times say. */
  readonly racy: boolean;
  /** What of its bytes counts, where rules say so; a page with a cover has no digest of its own. */
  readonly mark?: ContentMark | undefined;
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
