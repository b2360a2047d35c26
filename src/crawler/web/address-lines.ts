/**
 * Lines of sites at one address, each site in one of them: visits to them are made one after the other, in the order in which the sites
 * came. Memory: of sites that wait or are visited only.
 */
export class AddressLines {
  /** The first site of each line is visited, or may be. */
  readonly #lines = new Map<string, Set<string>>();
  readonly #addresses = new Map<string, string>();

  /** The address in whose line a site is. */
  addressOf(site: string): string | undefined {
    return this.#addresses.get(site);
  }

  /** Puts a site at the end of a line if it is in none. @returns whether it is the first */
  enter(site: string, address: string): boolean {
    const known = this.#addresses.get(site) ?? address;
    const line = this.#lines.get(known) ?? new Set();
    this.#lines.set(known, line.add(site));
    this.#addresses.set(site, known);
    return firstOf(line) === site;
  }

  /** Takes out a site. @returns the site that is the first instead; undefined if it was not the first, or the line is empty */
  leave(site: string): string | undefined {
    const address = this.#addresses.get(site);
    const line = address === undefined ? undefined : this.#lines.get(address);
    if (address === undefined || line === undefined) return undefined;
    const wasFirst = firstOf(line) === site;
    line.delete(site);
    this.#addresses.delete(site);
    if (line.size === 0) this.#lines.delete(address);
    return wasFirst ? firstOf(line) : undefined;
  }
}

function firstOf(line: ReadonlySet<string>): string | undefined {
  const [first] = line;
  return first;
}
