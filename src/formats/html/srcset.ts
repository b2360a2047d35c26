const spaces = /[\t\n\f\r ]*/y;
const separators = /[\t\n\f\r ,]*/y;
const notSpaces = /[^\t\n\f\r ]+/y;

/**
 * The URLs of a `srcset`, as they are written. What stands behind each (`2x`, `640w`, anything) is passed over; a comma
 * within a URL belongs to it, one at its end does not.
 *
 * @param limit - at most so many are given
 * @see HTML Living Standard, section 4.8.4.3.10 "Parsing a srcset attribute"
 */
export function readSrcset(srcset: string, limit: number): string[] {
  const urls: string[] = [];
  for (let at = 0; urls.length < limit; ) {
    separators.lastIndex = at;
    separators.exec(srcset);
    notSpaces.lastIndex = separators.lastIndex;
    const url = notSpaces.exec(srcset)?.[0];
    if (url === undefined) break;
    at = notSpaces.lastIndex;
    if (url.endsWith(",")) {
      let end = url.length;
      while (url.charCodeAt(end - 1) === 44) end -= 1;
      urls.push(url.slice(0, end));
      continue;
    }
    urls.push(url);
    at = behindDescriptors(srcset, at);
  }
  return urls;
}

// Descriptors end at a comma outside of parentheses.
function behindDescriptors(srcset: string, start: number): number {
  spaces.lastIndex = start;
  spaces.exec(srcset);
  let isWithin = false;
  for (let at = spaces.lastIndex; at < srcset.length; at++) {
    const code = srcset.charCodeAt(at);
    if (code === 40) isWithin = true;
    else if (code === 41) isWithin = false;
    else if (code === 44 && !isWithin) return at + 1;
  }
  return srcset.length;
}
