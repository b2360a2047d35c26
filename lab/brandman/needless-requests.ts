/**
 * The least number of a page's requests that were needless, if it changed `changes` times and was requested `requests`
 * times at regular intervals.
 *
 * Brandman et al., section 4.1, print the condition R > C - 1, under which R = C gives -1; a count is never below 0.
 *
 * @see Brandman, Cho, Garcia-Molina, Shivakumar, *Crawler-Friendly Web Servers*, PAWS 2000, section 4.1
 */
export function minNeedlessRequests(changes: number, requests: number): number {
  return Math.max(0, requests - (changes + 1));
}

/** The bound as it is printed, slip and all: for comparison. */
export function printedNeedlessRequests(changes: number, requests: number): number {
  return requests > changes - 1 ? requests - (changes + 1) : 0;
}
