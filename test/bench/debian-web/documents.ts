import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { requireProgram } from "../../interop/programs.ts";
import type { HostRoot } from "../follow/nginx-hosts.ts";

/** Packages of Debian 12 whose documentation is HTML of many pages, and whose name may be that of a host. */
export const documentPackages: readonly string[] = (
  "ant-doc apache2-doc erlang-doc ghc-doc git-doc groovy-doc libeigen3-doc libglib2.0-doc libgtk-3-doc libgtk-4-doc " +
  "nodejs-doc openjdk-17-doc postgresql-doc-15 python-django-doc python-pandas-doc python3.11-doc qtbase5-doc-html " +
  "qtdeclarative5-doc-html rust-doc sqlite3-doc tomcat10-docs wx3.2-doc"
).split(" ");

/** A package's documentation as a site. */
export interface DocumentSite extends HostRoot {
  readonly address: string;
  /** Paths of the pages that Debian's registry of documents names. */
  readonly entries: readonly string[];
}

/** The domain that all sites are below. */
export const documentDomain = "docs.example";

/** Fetches packages with apt-get and unpacks each into a folder of its own, unless it is there. */
export function unpackPackages(packages: readonly string[], into: string): void {
  const fetched = join(into, "fetched");
  mkdirSync(fetched, { recursive: true });
  const missing = packages.filter((name) => !existsSync(join(into, name)));
  if (missing.length > 0) execFileSync(requireProgram("apt-get"), ["download", "-qq", ...missing], { cwd: fetched });
  for (const file of readdirSync(fetched)) {
    const name = file.slice(0, file.indexOf("_"));
    const unpacked = join(fetched, `${name}.part`);
    rmSync(unpacked, { recursive: true, force: true });
    execFileSync(requireProgram("dpkg-deb"), ["-x", join(fetched, file), unpacked]);
    renameSync(unpacked, join(into, name));
    rmSync(join(fetched, file));
  }
}

/** The sites of packages: each has a name and a loopback address of its own, and shows its `/usr/share`. */
export function sitesOf(packages: readonly string[], shareOf: (name: string) => string): DocumentSite[] {
  return packages.map((name, at) => {
    const share = shareOf(name);
    const entries = entriesOf(name, share).filter((path) => existsSync(join(share, path)));
    if (entries.length === 0) throw new Error(`${name} registers no HTML documents in ${share}/doc-base`);
    return { host: `${name}.${documentDomain}`, address: `127.14.0.${at + 1}`, docroot: share, entries };
  });
}

/** What Debian's doc-base names in a file for each document: `Index: /usr/share/doc/git-doc/index.html`. */
function entriesOf(name: string, share: string): string[] {
  const registry = join(share, "doc-base");
  return readdirSync(registry)
    .filter((file) => file.startsWith(`${name}.`))
    .flatMap((file) =>
      Array.from(
        readFileSync(join(registry, file), "latin1").matchAll(/^Index: *\/usr\/share(\/\S+\.html)$/gm),
        ([, path = ""]) => path,
      ),
    );
}
