import { pickInteger, type Random } from "../core/index.ts";

export type DemoKind = "html" | "text" | "svg" | "css" | "png";

export interface DemoPage {
  /** From the site's folder, with `/` between names and none at the start. */
  readonly path: string;
  readonly kind: DemoKind;
  readonly seed: number;
}

export interface SiteRound {
  /** Pages that get other bytes. */
  readonly changed: readonly DemoPage[];
  /** Those of the changed ones that come from a backup, with the time they had there. */
  readonly restored: readonly DemoPage[];
  readonly appeared: readonly DemoPage[];
  readonly vanished: readonly DemoPage[];
}

const pagesPerFolder = 60;
const firstOfEach: readonly DemoPage[] = [
  { path: "index.html", kind: "html", seed: 1 },
  { path: "style/style-1.css", kind: "css", seed: 2 },
  { path: "images/dot-1.png", kind: "png", seed: 3 },
];

function pageOf(kind: DemoKind, number: number, seed: number): DemoPage {
  const folder = String(1 + Math.floor(number / pagesPerFolder)).padStart(2, "0");
  const paths: Readonly<Record<DemoKind, string>> = {
    html: `almanac/${folder}/page-${number}.html`,
    text: `notes/${folder}/note ${number}.txt`,
    svg: `images/${folder}/figure-${number}.svg`,
    css: `style/style-${number}.css`,
    png: `images/${folder}/dot-${number}.png`,
  };
  return { path: paths[kind], kind, seed };
}

function kindOf(share: number): DemoKind {
  if (share < 0.8) return "html";
  if (share < 0.9) return "text";
  if (share < 0.96) return "svg";
  return share < 0.98 ? "png" : "css";
}

/**
 * Lays out a site: four fifths HTML, the rest notes, figures, pictures and style sheets.
 *
 * @param pages - how many, at least 3
 */
export function planSite(pages: number, random: Random): DemoPage[] {
  const site = [...firstOfEach];
  for (let number = site.length; number < pages; number++) {
    site.push(pageOf(kindOf(random()), number, pickInteger(random, 1 << 30)));
  }
  return site;
}

/** How many pages something happens to. */
export interface RoundSizes {
  readonly changed: number;
  /** Of the changed ones. */
  readonly restored: number;
  readonly appeared: number;
  readonly vanished: number;
}

/** Chooses what happens to a site. @param site - all pages that there ever were: new ones get other names */
export function planRound(
  site: readonly DemoPage[],
  random: Random,
  { changed: changes, restored, appeared: births, vanished }: RoundSizes = {
    changed: 40,
    restored: 15,
    appeared: 10,
    vanished: 10,
  },
): SiteRound {
  const candidates = site.filter((page) => page.kind !== "png" && !firstOfEach.includes(page));
  const chosen = pickSome(random, candidates, changes + vanished);
  const changed = chosen.slice(0, changes);
  const appeared = Array.from({ length: births }, (_, at) =>
    pageOf(at < 0.8 * births ? "html" : "text", site.length + at, pickInteger(random, 1 << 30)),
  );
  return { changed, restored: changed.slice(0, restored), appeared, vanished: chosen.slice(changes) };
}

/** Takes `count` different items, in random order. */
function pickSome<T>(random: Random, items: readonly T[], count: number): T[] {
  const rest = [...items];
  const taken: T[] = [];
  while (taken.length < count && rest.length > 0) taken.push(...rest.splice(pickInteger(random, rest.length), 1));
  return taken;
}
