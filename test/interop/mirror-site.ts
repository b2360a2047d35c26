import type { SitePage } from "../crawler/engine/published-site.ts";

const types: Readonly<Record<string, string>> = {
  "/s.css": "text/css",
  "/twin.css": "text/css",
  "/Twin.css": "text/plain",
  "/api": "application/json",
  "/api/items": "application/json",
  "/data?format=csv": "text/csv",
  "/script.js": "text/javascript",
  "/note.html": "text/plain",
  "/picture": "image/png",
  "/q?x=1": "text/plain",
};

const paths = [
  ...[
    "/",
    "/index.html",
    "/about",
    "/about/",
    "/about/index.html",
    "/about/team",
    "/docs/",
    "/docs/index.html",
    "/only/",
  ],
  ...["/a.html", "/a.html/below", "/q?x=1", "/q?x=2", "/q", "/q/", "/?start", "/deep/er/than/that", "/deep"],
  ...[
    "/caf%C3%A9",
    "/caf%C3%A9/men%C3%BC.html",
    "/a%20b.html",
    "/C++",
    "/C%2B%2B",
    "/50%25",
    "/semi;colon",
    "/$1&$2=3",
    "/quote%22s",
  ],
  ...[
    "/back%5Cslash",
    "/dots..",
    "/end.",
    "/.hidden",
    "/.well-known/thing",
    "/%2e%2e%2fetc",
    "/twin.css",
    "/Twin.css",
    "/a%2Fb",
    "/x//y",
    "/line%0Abreak",
  ],
  ...[
    "/What",
    "/what",
    "/index.html/below",
    `/${"long".repeat(80)}`,
    "/~tidemark-index",
    "/tilde~",
    "/s.css",
    "/api",
    "/api/items",
  ],
  ...[
    "/data?format=csv",
    "/script.js",
    "/note.html",
    "/picture",
    "/same/",
    "/same",
    "/it's",
    "/(1)",
    "/x?q=%22%5C$a%20b",
  ],
];

/** Pages whose names collide, or say nothing of what the page is; each with a body of its own. */
export const mirrorSite: ReadonlyMap<string, SitePage> = new Map(
  paths.map((path) => [
    path,
    { body: `<p>${path}</p>`, mediaType: types[path] ?? "text/html", lastModified: 1_700_000_000 },
  ]),
);
