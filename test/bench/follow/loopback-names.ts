const sitesOfAddress = 4;
const goodName = /^site-(\d+)\.example$/;
const badName = /^bad-(\d+)\.example$/;

/** Name of a site that real nginx serves. */
export function goodHost(site: number): string {
  return `site-${site}.example`;
}

/** Name of a site that is in trouble. */
export function badHost(site: number): string {
  return `bad-${site}.example`;
}

/** Number of a site that nginx serves, by its name; undefined if it is none. */
export function siteOfHost(host: string): number | undefined {
  const digits = goodName.exec(host)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The loopback address of a name, four good sites to an address; undefined if it is none of ours. */
export function addressOfHost(host: string): string | undefined {
  const good = siteOfHost(host);
  if (good !== undefined) {
    const number = Math.floor(good / sitesOfAddress) + 1;
    return `127.10.${number >> 8}.${number & 255}`;
  }
  const bad = badName.exec(host)?.[1];
  return bad === undefined ? undefined : `127.11.0.${Number(bad) + 1}`;
}
