import type { ExportEvent, WithholdRule } from "../../../src/core/export-event.ts";
import { compileGlobs } from "../../../src/exporter/walk/glob-filter.ts";
import type { ReaderIdentity } from "../../../src/exporter/walk/reader-identity.ts";
import type { ScannedFile } from "../../../src/exporter/walk/scanned-file.ts";
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

/** Walks to the end. `onBatch` is called between batches. */
export async function walkAll(
  docroot: string,
  options: Partial<WalkOptions> & {
    readonly include?: readonly string[];
    readonly exclude?: readonly string[];
    readonly onBatch?: () => void;
  } = {},
): Promise<Walked> {
  const { include = [], exclude = [], onBatch, ...rest } = options;
  const withheld: Record<string, WithholdRule> = {};
  const errors: Record<string, string> = {};
  const warnings: Extract<ExportEvent, { event: "warning" }>[] = [];
  const onEvent = (event: ExportEvent): void => {
    if (event.event === "withheld") withheld[event.path] = event.rule;
    else if (event.event === "item-error") errors[event.path] = event.code;
    else if (event.event === "warning") warnings.push(event);
  };
  const files: ScannedFile[] = [];
  const gaps: string[] = [];
  await using walk = new Walk({
    docroot,
    globs: await compileGlobs(include, exclude),
    reader: stranger,
    judgePath: () => undefined,
    onEvent,
    ...rest,
  });
  for (let batch = await walk.next(); batch !== undefined; batch = await walk.next()) {
    files.push(...batch.files);
    gaps.push(...batch.gaps.map(({ path }) => path));
    onBatch?.();
  }
  return { files, paths: files.map(({ path }) => path), gaps, withheld, errors, warnings };
}
