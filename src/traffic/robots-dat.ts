import type { CountedClient } from "./traffic-counter.ts";

const maxLines = 200_000;

/**
 * The crawlers that were seen, as `robots.dat` of McLearn, section 7.2.1, has them: address and name of each client that asked
 * for robots.txt. Lines are in order, so that `sort -mu` merges the files of several sites.
 */
export class RobotsDat {
  readonly #lines = new Set<string>();

  add({ name, verified, address, tally }: CountedClient): void {
    if (tally.robots === 0 || verified === false || this.#lines.size >= maxLines) return;
    if (/^[0-9a-fA-F:.]+$/.test(address)) this.#lines.add(`${address}\t${name}\n`);
  }

  get text(): string {
    return [...this.#lines].sort().join("");
  }
}
