const maxPathCharacters = 2048;
/** Control characters, what separates names on Windows, and its drives. */
const foreign = /[\u0000-\u001f\u007f\\]|^[A-Za-z]:/;

/**
 * The name in a package's ZIP file that a manifest's `path` means. Nothing is unpacked under it; a path that would
 * lead out of a folder is all the same no place in a package.
 *
 * @param path - begins with `/`; the reference tool leaves that out, so it may lack
 * @returns undefined if it is empty, absolute otherwise, has `.`, `..` or an empty name in it, or foreign characters
 * @see ANSI/NISO Z39.99-2017 section 11.2
 */
export function packageEntryName(path: string): string | undefined {
  const name = path.startsWith("/") ? path.slice(1) : path;
  if (name.length > maxPathCharacters || foreign.test(name)) return undefined;
  return name.split("/").some((part) => part === "" || part === "." || part === "..") ? undefined : name;
}
