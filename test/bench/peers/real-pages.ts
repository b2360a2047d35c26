import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { findDocs } from "../../interop/docs-site.ts";
import { createRandom } from "../../interop/random.ts";

const plainPath = /^[A-Za-z0-9/._+-]+$/;
// What the exporter holds back by its name.
const withheldName = /(?:^|\/)\.|~$|\.(?:bak|orig|old|save|php|inc|cgi|sql|pem|key|db)$/i;

/**
 * Copies so many files of the documentation packages to a document root, as they are: those whose names no
 * downloader writes in another way.
 *
 * @param choice - `adjacent` files are neighbours by their paths, so that most of their links lead to one another
 * @returns their paths, with `/` before, in order
 * @throws if the packages are not there or hold too few
 */
export function copyRealPages(docroot: string, pages: number, choice: "random" | "adjacent" = "random"): string[] {
  const docs = findDocs();
  if (docs === undefined) throw new Error("no documentation packages: run test/interop/setup.sh");
  const listed = execFileSync("find", [docs, "-type", "f", "-printf", "/%P\n"], {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  const paths = listed.split("\n").filter((path) => plainPath.test(path) && !withheldName.test(path));
  if (paths.length < pages) throw new Error(`the packages hold ${paths.length} such files, ${pages} are asked for`);
  paths.sort();
  const chosen = choice === "adjacent" ? paths.slice(0, pages) : createRandom(7).sample(paths, pages).sort();
  for (const path of chosen) {
    mkdirSync(dirname(join(docroot, path)), { recursive: true });
    cpSync(join(docs, path), join(docroot, path), { preserveTimestamps: true });
  }
  return chosen;
}
