/** A field: its name and its value, one character (0 to 255) a byte. */
export type Field = readonly [name: string, value: string];

/** RFC 7541 appendix A, from index 1 on: names, some with a value. */
const known =
  ":authority|:method GET|:method POST|:path /|:path /index.html|:scheme http|:scheme https|:status 200|:status 204|" +
  ":status 206|:status 304|:status 400|:status 404|:status 500|accept-charset|accept-encoding gzip, deflate|" +
  "accept-language|accept-ranges|accept|access-control-allow-origin|age|allow|authorization|cache-control|" +
  "content-disposition|content-encoding|content-language|content-length|content-location|content-range|content-type|" +
  "cookie|date|etag|expect|expires|from|host|if-match|if-modified-since|if-none-match|if-range|if-unmodified-since|" +
  "last-modified|link|location|max-forwards|proxy-authenticate|proxy-authorization|range|referer|refresh|retry-after|" +
  "server|set-cookie|strict-transport-security|transfer-encoding|user-agent|vary|via|www-authenticate";

/** The fields that both sides know from the beginning; index 1 is the first. */
export const staticTable: readonly Field[] = known.split("|").map((text): Field => {
  const [name = "", ...value] = text.split(" ");
  return [name, value.join(" ")];
});

const entryBytes = 32;

/** What a field counts in a table and in a list (RFC 7541 section 4.1, RFC 9113 section 6.5.2). */
export function fieldSize([name, value]: Field): number {
  return name.length + value.length + entryBytes;
}

/** The fields that came on a connection and may be referred to, the newest first (RFC 7541 section 2.3.2). */
export class DynamicTable {
  readonly #fields: Field[] = [];
  #bytes = 0;
  #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @param index - 1 for the first of the static table */
  get(index: number): Field | undefined {
    const { length } = staticTable;
    return index <= length ? staticTable[index - 1] : this.#fields[this.#fields.length - (index - length)];
  }

  add(field: Field): void {
    this.#fields.push(field);
    this.#bytes += fieldSize(field);
    this.#evict();
  }

  resize(maxBytes: number): void {
    this.#maxBytes = maxBytes;
    this.#evict();
  }

  #evict(): void {
    let count = 0;
    while (this.#bytes > this.#maxBytes) {
      const oldest = this.#fields[count++];
      if (oldest === undefined) break;
      this.#bytes -= fieldSize(oldest);
    }
    if (count > 0) this.#fields.splice(0, count);
  }
}
