import { existsSync, readFileSync } from "node:fs";

/** The version in the package that this module belongs to. */
export function packageVersion(): string {
  let file = new URL("package.json", import.meta.url);
  while (!existsSync(file) && file.pathname !== "/package.json") file = new URL("../package.json", file);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
