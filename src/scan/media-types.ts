import { lookup } from "mime-types";

const byEnding = new Map<string, string>();

/**
 * The media type that web servers give to a file of this name.
 *
 * @returns the essence, lower case; `application/octet-stream` where the ending says nothing
 */
export function mediaTypeOfName(name: string): string {
  const dot = name.lastIndexOf(".");
  const ending = dot <= 0 ? "" : name.slice(dot + 1);
  let type = byEnding.get(ending);
  if (type === undefined) {
    type = (ending === "" ? false : lookup(ending.toLowerCase())) || "application/octet-stream";
    // Endings come from the disk: bounded, so that a folder of random names costs no memory.
    if (byEnding.size < 4096) byEnding.set(ending, type);
  }
  return type;
}
