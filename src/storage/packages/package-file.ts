import type { OpenPackage, PackageDownload, Packages, Result } from "../../core/index.ts";
import type { SiteStore } from "../state/keeping.ts";

type Bodies = SiteStore["bodies"];

const defaultMaxBytes = 1024 ** 3;
/** All pages of a package together may have so many times the bytes that a package may have. */
const maxGrowth = 4;

/** A package in a temporary file, where large bodies lie until they are whole. */
class PackageFile implements PackageDownload {
  readonly #file: ReturnType<Bodies["open"]>;
  readonly #maxContentBytes: number;

  constructor(bodies: Bodies, maxContentBytes: number) {
    this.#file = bodies.open();
    this.#maxContentBytes = maxContentBytes;
  }

  write(chunk: Uint8Array): void {
    this.#file.write(chunk);
  }

  async open(): Promise<Result<OpenPackage>> {
    this.#file.close();
    // Loaded late: few visits meet a package.
    const { openZip } = await import("./zip-entries.ts");
    return await openZip(this.#file.file, { maxContentBytes: this.#maxContentBytes });
  }

  [Symbol.dispose](): void {
    this.#file.discard();
  }
}

/**
 * Packages that lie beside a site's bodies while they are read.
 *
 * @param maxBytes - most bytes of a package; 0 for none. Default 1 GiB
 */
export function packagesIn(bodies: Bodies, maxBytes: number = defaultMaxBytes): Packages | undefined {
  if (maxBytes === 0) return undefined;
  return { maxBytes, begin: () => new PackageFile(bodies, maxBytes * maxGrowth) };
}
