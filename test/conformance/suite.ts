/** What a suite found. */
export interface SuiteResult {
  readonly total: number;
  readonly passed: number;
  /** Cases that did not pass; `why` where we differ on purpose. */
  readonly differences: readonly { readonly name: string; readonly why: string | undefined }[];
  /** Why the suite did not run, if it did not. */
  readonly skipped?: string;
}

/** Cases that a standard, or another program, gives. */
export interface Suite {
  readonly name: string;
  /** Where the cases come from. */
  readonly source: string;
  run(): Promise<SuiteResult> | SuiteResult;
}
