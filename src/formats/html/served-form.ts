/** How a site's links name a page that is published under another path. */
export type ServedForm =
  /** `/docs/` for `/docs/index.html`; `name` is that of the file. */
  | { readonly kind: "index"; readonly name: string; readonly file: string }
  /** `/about` for `/about.html`. */
  | { readonly kind: "clean"; readonly file: string };

const indexNames = ["index.html", "index.htm", "index.shtml"] as const;

/**
 * Says whether a link names a page in a shorter form than the one under which it is published.
 *
 * @param path - that a link leads to, without query and fragment
 * @param isPublished - whether a page is published under a path
 * @returns undefined if it names a published path, or nothing that is published
 */
export function servedFormOf(path: string, isPublished: (path: string) => boolean): ServedForm | undefined {
  if (isPublished(path)) return undefined;
  if (path.endsWith("/")) {
    const name = indexNames.find((candidate) => isPublished(path + candidate));
    return name === undefined ? undefined : { kind: "index", name, file: path + name };
  }
  const file = `${path}.html`;
  return isPublished(file) ? { kind: "clean", file } : undefined;
}
