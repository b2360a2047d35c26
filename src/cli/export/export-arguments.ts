import type { ExportSettings } from "../../exporter/index.ts";

/** What the command line says about an export. */
export interface ExportArguments {
  /** What is said here goes before what the file says. */
  readonly settings: Partial<ExportSettings>;
  readonly configFile: string | undefined;
  /** Which site of the file. */
  readonly site: string | undefined;
  readonly dryRun: boolean;
}

/** What the command line says about when and for whom; the rest is {@link ExportArguments}. */
export interface ExportRun {
  readonly watch: boolean;
  readonly settleMs: number | undefined;
  readonly rescanMs: number | undefined;
  readonly indexNow: boolean;
  readonly indexNowEndpoint: string | undefined;
  readonly indexNowAll: boolean;
}
