import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const imports = /(?:from|import\(|import|new URL\() ?"(\.[^"]*\.js)"/g;

/** Which compiled modules import which, and which tests come to which module. */
export class ModuleGraph {
  readonly #folder: string;
  readonly #imports = new Map<string, readonly string[]>();

  /** @param folder - the one that holds `src` and `test`, compiled */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Modules below a folder, by their paths from the compiled folder, sorted. */
  below(folder: string): string[] {
    return readdirSync(join(this.#folder, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".js"))
      .map((name) => join(folder, name))
      .sort();
  }

  /**
   * The quick tests of a module, nearest first: its mirror, those that import it, those of its folder that come to it.
   *
   * @param most - so many at most
   */
  testsOf(module: string, most: number): string[] {
    const mirror = module.replace(/^src/, "test").replace(/\.js$/, ".test.js");
    const tests = this.below("test").filter((path) =>
      /^(?!test\/(?:interop|bench)\/).*(?<!\.slow)\.test\.js$/.test(path),
    );
    const folder = `${dirname(mirror)}/`;
    const near = tests
      .map((test) => ({
        test,
        distance: test === mirror ? 0 : this.#distance(test, module),
        isOfFolder: test.startsWith(folder),
      }))
      .filter(({ distance, isOfFolder }) => distance <= 1 || (isOfFolder && distance < Number.POSITIVE_INFINITY))
      .sort(
        (a, b) => a.distance - b.distance || Number(b.isOfFolder) - Number(a.isOfFolder) || (a.test < b.test ? -1 : 1),
      );
    return near.slice(0, most).map(({ test }) => test);
  }

  /** Steps from a test to a module, those through a folder's `index.js` counted as one. */
  #distance(from: string, to: string): number {
    let ring = [from];
    const seen = new Set(ring);
    for (let distance = 0; ring.length > 0; distance++) {
      if (ring.includes(to)) return distance;
      ring = ring
        .flatMap((module) => this.#importsOf(module))
        .filter((module) => !seen.has(module) && seen.add(module));
    }
    return Number.POSITIVE_INFINITY;
  }

  #importsOf(module: string): readonly string[] {
    const known = this.#imports.get(module);
    if (known !== undefined) return known;
    const file = join(this.#folder, module);
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    const found = [...text.matchAll(imports)].map(([, name = ""]) => relative(this.#folder, join(dirname(file), name)));
    // What a door exports is as near as the door.
    const all = found.flatMap((name) => (name.endsWith("/index.js") ? [name, ...this.#importsOf(name)] : [name]));
    this.#imports.set(module, all);
    return all;
  }
}
