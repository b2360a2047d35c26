/**
 * Chooses a media type by a field Accept.
 *
 * @param types - what there is, the preferred one first; without parameters
 * @returns the one with the highest quality, the first of several; the last one if none is accepted
 * @see RFC 9110 section 12.5.1
 */
export function chooseType<const Type extends string>(
  accept: string | undefined,
  types: readonly [Type, ...Type[]],
): Type {
  const ranges = (accept ?? "*/*").slice(0, 4096).split(",").map(parseRange);
  const qualityOf = (type: string): number => {
    const [main = ""] = type.split("/");
    for (const name of [type, `${main}/*`, "*/*"]) {
      const found = ranges.filter((range) => range.name === name).map(({ quality }) => quality);
      if (found.length > 0) return Math.max(...found);
    }
    return 0;
  };
  let best: Type = types.at(-1) ?? types[0];
  let bestQuality = 0;
  for (const type of types) {
    const quality = qualityOf(type);
    if (quality > bestQuality) [best, bestQuality] = [type, quality];
  }
  return best;
}

function parseRange(text: string): { readonly name: string; readonly quality: number } {
  const [name = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const quality = parameters.map((part) => /^q=([01](?:\.\d{0,3})?)$/.exec(part)?.[1]).find((one) => one !== undefined);
  return { name, quality: quality === undefined ? 1 : Number(quality) };
}
