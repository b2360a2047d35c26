// Draws docs/savings.svg, the picture of README.md: reads what `tidemark demo --json` prints and writes SVG to stdout.
// Usage: npm run savings
import { text } from "node:stream/consumers";

const clients = [
  { key: "tidemark", name: "Tidemark" },
  { key: "polling", name: "polling every page" },
  { key: "everything", name: "downloading everything" },
];
const measures = [
  { title: "requests", valueOf: ({ requests }) => requests, format: (n) => n.toLocaleString("en") },
  { title: "received", valueOf: ({ bytes }) => bytes, format: formatBytes },
];
const [labelWidth, barWidth, columnWidth, barHeight, groupHeight, top] = [184, 176, 268, 20, 96, 44];

function formatBytes(count) {
  if (count < 1024) return `${count} bytes`;
  return count < 1024 ** 2 ? `${Math.round(count / 1024)} KiB` : `${(count / 1024 ** 2).toFixed(1)} MiB`;
}

function titleOf({ visit, pages, changedPages, deletedPages, touchedPages }) {
  const count = (n) => n.toLocaleString("en");
  if (changedPages + deletedPages === 0) return `Visit ${visit}: nothing changed`;
  const changes = `${count(changedPages)} of ${count(pages)} pages new or changed, ${count(deletedPages)} deleted`;
  return `Visit ${visit}: ${changes}, ${count(touchedPages)} rewritten with equal bytes`;
}

/** The visits after the first, which costs every client the whole site: for each client requests and received bytes, as bars. */
function drawSavings(visits) {
  const later = visits.filter(({ visit }) => visit > 1);
  if (later.length === 0) throw new Error("no visit after the first: pipe in what `tidemark demo --json` prints");
  const height = top + later.length * groupHeight + 4;
  const lines = later.map((visit, at) => drawVisit(visit, top + at * groupHeight));
  const heads = measures.map(({ title }, at) => `<text class="q" x="${labelWidth + at * columnWidth}" y="20">${title}</text>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 ${height}" width="720" height="${height}" role="img"`,
    ` font-family="system-ui, 'DejaVu Sans', sans-serif" font-size="13">`,
    "<title>What a visit costs: requests and received bytes, with Tidemark, polling, and downloading everything</title>",
    "<style>svg{--g:#fff;--i:#1b1f24;--q:#4d5560;--a:#0b5cad;--b:#aab2bd}",
    "@media(prefers-color-scheme:dark){svg{--g:#14171c;--i:#e8eaee;--q:#aab2bd;--a:#7db8ff;--b:#5c5f66}}",
    "text{fill:var(--i)}.q{fill:var(--q)}.t{font-weight:600}.a{fill:var(--a)}.b{fill:var(--b)}</style>",
    `<rect width="720" height="${height}" fill="var(--g)"/>`,
    ...heads,
    ...lines,
    "</svg>\n",
  ].join("\n");
}

function drawVisit(visit, y) {
  const bars = clients.flatMap(({ key, name }, row) => {
    const middle = y + 16 + row * barHeight;
    const label = `<text x="${labelWidth - 12}" y="${middle + 9}" text-anchor="end">${name}</text>`;
    return [label, ...measures.map((measure, at) => drawBar(visit, measure, key, labelWidth + at * columnWidth, middle))];
  });
  return [`<text class="t" x="12" y="${y + 5}">${titleOf(visit)}</text>`, ...bars].join("\n");
}

function drawBar({ traffic }, { valueOf, format }, key, x, y) {
  const most = Math.max(...clients.map((client) => valueOf(traffic[client.key])));
  const value = valueOf(traffic[key]);
  const width = value === 0 ? 0 : Math.max(1, Math.round((barWidth * value) / most));
  const bar = `<rect class="${key === "tidemark" ? "a" : "b"}" x="${x}" y="${y - 2}" width="${width}" height="14"/>`;
  return `${bar}<text x="${x + width + 6}" y="${y + 9}">${format(value)}</text>`;
}

const events = (await text(process.stdin)).split("\n").filter((line) => line.startsWith("{"));
process.stdout.write(drawSavings(events.map((line) => JSON.parse(line)).filter(({ event }) => event === "visit")));
