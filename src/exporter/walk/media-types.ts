import { lookup } from "mime-types";
import { isServerSource } from "./name-rules.ts";

const byEnding = new Map<string, string>();

/**
 * The media type that a server most likely gives to what is no file: by the ending, unless it is a script's or says
 * nothing.
 *
 * @param path - encoded path with query
 * @returns the essence, lower case; `text/html` where the ending says nothing
 */
export function mediaTypeOfUrlPath(path: string): string {
  const query = path.indexOf("?");
  const end = query === -1 ? path.length : query;
  const name = path.slice(path.lastIndexOf("/", end - 1) + 1, end);
  if (!name.includes(".") || isServerSource(name)) return "text/html";
  const type = mediaTypeOfName(name);
  return type === "application/octet-stream" ? "text/html" : type;
}

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
