/** Number of series with their own colour; further ones repeat colours with other dashes. */
export const seriesColours = 6;

/** Class of every element that the theme styles. */
export const themeClass = "tidemark-figure";

// Each text colour has a contrast of at least 4.5 to 1 with its background (WCAG 2.2, 1.4.3).
const light = ["#0b5cad", "#a84300", "#1a7a3c", "#7b3fb0", "#006d77", "#5c5f66"];
const dark = ["#7db8ff", "#ffb066", "#6fd08c", "#cfa5ff", "#5fd3dd", "#b4b8c0"];

function variables(series: readonly string[], background: string, ink: string, quiet: string, theirs: string): string {
  const colours = series.map((colour, at) => `--series-${at}:${colour}`).join(";");
  return `--background:${background};--ink:${ink};--quiet:${quiet};--theirs:${theirs};${colours}`;
}

/**
 * CSS rules with the colours for light and dark.
 *
 * @param selector - elements to which they apply
 */
export function themeRules(selector: string): string {
  const day = variables(light, "#ffffff", "#1b1f24", "#4d5560", "#b00050");
  const night = variables(dark, "#14171c", "#e8eaee", "#aab2bd", "#ff8fc0");
  return `${selector}{color-scheme:light dark;${day}}` + `@media (prefers-color-scheme:dark){${selector}{${night}}}`;
}

/** Dashes of a series, so that lines differ even without colours. */
export function dashesOf(series: number): string {
  return ["none", "7 3", "2 3", "9 3 2 3", "4 2", "12 4"][series % 6] ?? "none";
}
