import type { ExportEvent, WithholdRule } from "../../core/index.ts";
import type { GlobFilter } from "./glob-filter.ts";
import type { ReaderIdentity } from "./reader-identity.ts";
import type { ServedNameRules } from "./served-names.ts";

/** What is done with links to folders inside the document root. */
export const folderLinkChoices = ["follow", "hold"] as const;

export type FolderLinks = (typeof folderLinkChoices)[number];

export interface WalkOptions {
  readonly docroot: string;
  readonly globs: GlobFilter;
  readonly reader: ReaderIdentity;
  /** Rule of the composition for an encoded path: what we wrote ourselves, what robots.txt disallows. */
  readonly judgePath: (path: string) => WithholdRule | undefined;
  /** Files a batch; default 2048. */
  readonly batchSize?: number;
  /** How the server names files in URLs; default: by their own names. */
  readonly servedNames?: ServedNameRules;
  /** Encoded path under which the root lies, with `/` at its end; default `/`. */
  readonly prefix?: string;
  /** Encoded paths of folders, with `/` at their end, that the server takes from another root. */
  readonly mappedPrefixes?: ReadonlySet<string>;
  /** Whether a place, without links and one character a byte, is what we write ourselves; default: {@link judgePath} knows. */
  readonly isOwnPlace?: (realPath: string) => boolean;
  /**
   * What becomes of links to folders whose pages are published under their own paths as well: they are followed, or
   * held back. Default: followed, with a warning.
   */
  readonly folderLinks?: FolderLinks | undefined;
  readonly onEvent: (event: ExportEvent) => void;
}
