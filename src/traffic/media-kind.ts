/** Kinds of files, as far as the end of a path tells: a log has no media types. */
export const mediaKinds = ["page", "image", "style", "script", "font", "media", "document", "data", "other"] as const;

export type MediaKind = (typeof mediaKinds)[number];

/** What a browser loads with a page. */
export const assetKinds: ReadonlySet<MediaKind> = new Set(["image", "style", "script", "font"]);

const endings: Readonly<Record<Exclude<MediaKind, "other">, string>> = {
  page: "html htm xhtml shtml php php5 asp aspx jsp cgi do",
  image: "png jpg jpeg gif webp avif svg ico bmp tif tiff",
  style: "css",
  script: "js mjs map wasm",
  font: "woff woff2 ttf otf eot",
  media: "mp4 webm mp3 ogg wav mov m4a avi mkv",
  document: "pdf doc docx odt xls xlsx ods ppt pptx odp epub ps rtf txt md csv",
  data: "json xml rss atom gz zip tar bz2 xz 7z yaml yml",
};

const numbers: ReadonlyMap<number, number> = new Map(
  Object.entries(endings).flatMap(([kind, names]) =>
    names.split(" ").map((name) => [codeOf(Buffer.from(name), 0, name.length), mediaKinds.indexOf(kind as MediaKind)]),
  ),
);

const page = mediaKinds.indexOf("page");
const other = mediaKinds.indexOf("other");
const [slash, dot, question] = [0x2f, 0x2e, 0x3f];
const longestEnding = 5;

/** Five letters and digits at most, as a number. */
function codeOf(bytes: Uint8Array, from: number, to: number): number {
  let code = 0;
  for (let at = from; at < to; at++) code = code * 64 + (((bytes[at] as number) | 0x20) & 0x3f);
  return code;
}

/** The kind of a target of a request, as its number in {@link mediaKinds}. A path without an ending is a page. */
export function mediaKindOf(bytes: Uint8Array, from: number, to: number): number {
  let end = from;
  while (end < to && bytes[end] !== question) end++;
  for (let at = end - 1; at >= from && at >= end - longestEnding - 1; at--) {
    const byte = bytes[at];
    if (byte === slash) return page;
    if (byte === dot) return numbers.get(codeOf(bytes, at + 1, end)) ?? other;
  }
  return page;
}
