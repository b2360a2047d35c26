import { closeSync, openSync, writeSync } from "node:fs";
import { wrapSystemError } from "../core/index.ts";
import { truncateAddress } from "./shown-address.ts";
import type { CountedClient } from "./traffic-counter.ts";

const flushBytes = 64 * 1024;
const columns =
  "name\tpurpose\tbasis\tverified\taddress\trequests\tbytes\tconditional\tnot-modified\tneedless\twasted-bytes\terrors\n";

/** A file of the clients of crawlers, a line each, with TABs between the fields. */
export class ClientsFile {
  readonly #fd: number;
  readonly #hasAddresses: boolean;
  #waiting = columns;

  /**
   * @param hasAddresses - whether addresses are written in full; otherwise their networks are
   * @throws what the file system says
   */
  constructor(file: string, hasAddresses: boolean) {
    try {
      this.#fd = openSync(file, "w", 0o600);
    } catch (error) {
      throw wrapSystemError(error, `write ${file}`, { file });
    }
    this.#hasAddresses = hasAddresses;
  }

  add({ name, purpose, basis, verified, address, tally }: CountedClient): void {
    const { requests, bytes, conditional, notModified, needless, wastedBytes, errors } = tally;
    const shown = this.#hasAddresses ? address.replace(/[^!-~]/g, "?") || "-" : truncateAddress(address);
    const known = verified === undefined ? "-" : verified ? "yes" : "no";
    const counts = [requests, bytes, conditional, notModified, needless, wastedBytes, errors];
    this.#waiting += `${[name, purpose, basis, known, shown, ...counts].join("\t")}\n`;
    if (this.#waiting.length >= flushBytes) this.#flush();
  }

  [Symbol.dispose](): void {
    try {
      this.#flush();
    } finally {
      closeSync(this.#fd);
    }
  }

  #flush(): void {
    writeSync(this.#fd, this.#waiting);
    this.#waiting = "";
  }
}
