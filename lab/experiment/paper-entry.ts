import type { Page } from "../../src/core/page.ts";

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/**
 * A page as section 3.2 of Brandman et al. describes it, LF included:
 * `05/Feb/1999:16:01:30 -0800 people/pics/line/colorbars.gif 99999`. Times are in UTC.
 */
export function formatPaperEntry({ path, lastModified, sizeBytes }: Page): string {
  const [year, month, rest = ""] = new Date(lastModified * 1000).toISOString().split("-");
  const [day, time = ""] = rest.split("T");
  const date = `${day}/${months[Number(month) - 1]}/${year}:${time.slice(0, 8)} +0000`;
  return `${date} ${path.slice(1)} ${sizeBytes ?? 0}\n`;
}
