import type { ExportEvent, WithholdRule } from "../../../src/core/export-event.ts";
import { compileGlobs } from "../../../src/exporter/walk/glob-filter.ts";
import type { ReaderIdentity } from "../../../src/exporter/walk/reader-identity.ts";
import type { ScannedFile } from "../../../src/exporter/walk/scanned-file.ts";
import { SiteWalk } from "../../../src/exporter/walk/site-walk.ts";
import { Walk } from "../../../src/exporter/walk/walk.ts";
import type { WalkOptions } from "../../../src/exporter/walk/walk-options.ts";

/** What a walk gave. */
export interface Walked {
  readonly files: readonly ScannedFile[];
  readonly paths: readonly string[];
  readonly gaps: readonly string[];
  readonly withheld: Readonly<Record<string, WithholdRule>>;
  readonly errors: Readonly<Record<string, string>>;
  readonly warnings: readonly Extract<ExportEvent, { event: "warning" }>[];
}

/** Somebody who owns nothing. */
export const stranger: ReaderIdentity = { uid: -1, gids: new Set() };

/** Patterns that let out files of every type. */
export const everyType: readonly string[] = ["**", "**/[^.]*"];

/** A folder and the prefix of its URLs. */
export interface WalkedRoot {
  readonly prefix: string;
  readonly folder: string;
}

/** How {@link walkAll} walks. */
export interface WalkAllOptions extends Partial<WalkOptions> {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** Called between batches. */
  readonly onBatch?: () => void;
}

/** Walks to the end: a document root, or several roots, of which the first is the document root. */
export async function walkAll(from: string | readonly WalkedRoot[], options: WalkAllOptions = {}): Promise<Walked> {
  const { include = [], exclude = [], onBatch, isOwnPlace, ...rest } = options;
  const withheld: Record<string, WithholdRule> = {};
  const errors: Record<string, string> = {};
  const warnings: Extract<ExportEvent, { event: "warning" }>[] = [];
  const onEvent = (event: ExportEvent): void => {
    if (event.event === "withheld") withheld[event.path] = event.rule;
    else if (event.event === "item-error") errors[event.path] = event.code;
    else if (event.event === "warning") warnings.push(event);
  };
  const shared = { globs: await compileGlobs(include, exclude), reader: stranger, judgePath: () => undefined, onEvent };
  const open = ({ prefix, folder }: WalkedRoot, mappedPrefixes: ReadonlySet<string>): Walk => {
    const own = prefix === "/" || isOwnPlace === undefined ? {} : { isOwnPlace };
    return new Walk({ ...shared, docroot: folder, prefix, mappedPrefixes, ...own, ...rest });
  };
  const openAll = (roots: readonly WalkedRoot[]): SiteWalk => {
    const mapped = new Set(roots.slice(1).map(({ prefix }) => prefix));
    const opened = roots.map((root) => ({ prefix: root.prefix, open: () => open(root, mapped) }));
    return new SiteWalk(opened, options.batchSize);
  };
  const files: ScannedFile[] = [];
  const gaps: string[] = [];
  await using walk = typeof from === "string" ? open({ prefix: "/", folder: from }, new Set()) : openAll(from);
  for (let batch = await walk.next(); batch !== undefined; batch = await walk.next()) {
    files.push(...batch.files);
    gaps.push(...batch.gaps.map(({ path }) => path));
    onBatch?.();
  }
  return { files, paths: files.map(({ path }) => path), gaps, withheld, errors, warnings };
}
