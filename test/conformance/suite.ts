/** Cases of others that the program is held against. */
export interface Suite {
  readonly name: string;
  /** Where the cases, or those who judge, come from. */
  readonly source: string;
  run(): Promise<SuiteResult> | SuiteResult;
}

/** What became of a suite. */
export interface SuiteResult {
  readonly total: number;
  readonly passed: number;
  /** Every case that did not pass; `why` where the difference is meant. */
  readonly differences: readonly { readonly name: string; readonly why: string | undefined }[];
  /** Why it was not run. */
  readonly skipped?: string;
}
