import { encodeText } from "../experiment/byte-text.ts";
import type { PageCourse } from "./page-course.ts";

/** A page of a site as it is served; of another version no byte but its number differs. */
export function writePage(origin: string, page: PageCourse, version: number, links: readonly PageCourse[]): Uint8Array {
  const list = links.map(({ path }) => `<li><a href="${path}">${path}</a></li>`).join("");
  return encodeText(
    `<!doctype html><html><head><title>${page.path}</title></head><body><p>Version ${version} of ${origin}${page.path}.</p><ul>${list}</ul></body></html>\n`,
  );
}
