import assert from "node:assert/strict";
import { test } from "node:test";
import { TrapGuard } from "../../../../src/crawler/engine/discovery/trap-guard.ts";
import { fc } from "../../../property.ts";

const now = Date.UTC(2026, 5, 15);
const site = "https://a.example";

const isFollowed = (guard: TrapGuard, path: string): boolean => guard.admit(site + path) !== undefined;

const sessions: ReadonlyArray<readonly [string, string]> = [
  ["/a;jsessionid=0A1B2C?x=1", "/a?x=1"],
  ["/a;JSESSIONID=0A1B2C.node1/b", "/a/b"],
  ["/(S(lit3py55t21z5v55vlm25s55))/a.aspx", "/a.aspx"],
  ["/a?PHPSESSID=abc&x=1", "/a?x=1"],
  ["/a?x=1&sid=0123456789abcdef0123456789abcdef", "/a?x=1"],
  ["/a?sid=0123456789abcdef", "/a"],
  ["/a?sid=7", "/a?sid=7"],
  ["/a?session=spring-conference-one", "/a?session=spring-conference-one"],
  ["/a?s=search+words", "/a?s=search+words"],
  ["/a?", "/a?"],
  ["/a;v=1?b&c=", "/a;v=1?b&c="],
];
for (const [before, after] of sessions) {
  test(`a session id is no part of a page: ${before}`, () => {
    assert.equal(new TrapGuard(now).admit(site + before), site + after);
  });
}

const hosts = [
  "http://;sid=x/",
  "http://;jsessionid=/a",
  "http://(s(aaaaaaaaaaaaaaaaaaaaaaaa))/",
  "http://a;sid=x:81/?sid=",
];
for (const url of hosts) {
  test(`a host is no session, whatever it looks like: ${url}`, () => {
    assert.equal(new URL(url).href, url);
    assert.equal(new TrapGuard(now).admit(url), url);
  });
}

test("what is left of a path is a path: its dot segments are resolved, and it stays on its site", () => {
  const guard = new TrapGuard(now);
  assert.equal(guard.admit(`${site}/a/..;sid=x/b`), `${site}/b`);
  assert.equal(guard.admit(`${site}/;sid=x/..;sid=y/..;sid=z/b`), `${site}/b`);
  assert.equal(guard.admit(`${site}/(S(${"a".repeat(24)}))//other.example/`), `${site}//other.example/`);
});

test("whatever a link is, it is judged, and what is left of it is a URL of the same site in its normal form", () => {
  const part = fc.constantFrom(
    ";sid=",
    ";jsessionid=1",
    "/(S(",
    "a".repeat(24),
    "))",
    "/",
    "..",
    ".",
    "?",
    "&sid=",
    "@",
    ":",
    "x",
    "%2e",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const text = `http://${parts.join("")}`;
      if (!URL.canParse(text)) return;
      const { href, origin } = new URL(text);
      const bare = new TrapGuard(now).admit(href);
      if (bare === undefined) return;
      assert.deepEqual([new URL(bare).href, new URL(bare).origin], [bare, origin]);
    }),
    { numRuns: 3000 },
  );
});

const paths: ReadonlyArray<readonly [string, boolean]> = [
  ["/a/b/a/b/a/b/c", false],
  ["/x/a/a/a", false],
  ["/a/b/a/b/c", true],
  ["/a/b/c/a/b/c/a/b/c/", false],
  ["/a/b/a/c/a/b", true],
  [`/${"x".repeat(2048)}`, false],
  [`/${"x".repeat(2048 - site.length - 1)}`, true],
  [`/${Array.from({ length: 33 }, (_, at) => at).join("/")}`, false],
  [`/${Array.from({ length: 32 }, (_, at) => at).join("/")}`, true],
];
for (const [path, followed] of paths) {
  test(`${path.slice(0, 40)}, of ${path.length} characters, is ${followed ? "followed" : "refused"}`, () => {
    assert.equal(isFollowed(new TrapGuard(now), path), followed);
  });
}

/** How many queries of a path are followed, of those from a number to another. */
function countQueries(guard: TrapGuard, path: string, from: number, to: number): number {
  let followed = 0;
  for (let query = from; query < to; query++) followed += Number(isFollowed(guard, `${path}?x=${query}`));
  return followed;
}

test("a path has 200 queries, and those that were let through stay so, among 10,000 paths", () => {
  const guard = new TrapGuard(now);
  assert.equal(countQueries(guard, "/a", 0, 300), 200);
  assert.deepEqual([isFollowed(guard, "/a?x=199"), isFollowed(guard, "/a?x=200")], [true, false]);
  assert.equal(countQueries(guard, "/b", 0, 300), 200);
  for (let path = 0; path < 9998; path++) isFollowed(guard, `/${path}?x`);
  assert.deepEqual([isFollowed(guard, "/a?x=200"), isFollowed(guard, "/b?x=200")], [false, false]);
  isFollowed(guard, "/a?x=200");
  isFollowed(guard, "/c?x");
  // Before the last 9,999 came "/a", and before that "/b".
  for (let path = 0; path < 9998; path++) isFollowed(guard, `/other/${path}?x`);
  assert.deepEqual([isFollowed(guard, "/a?x=200"), isFollowed(guard, "/b?x=200")], [false, true]);
});

const month = (step: number, form: (year: number, month: string) => string): string => {
  const all = 2026 * 12 + 5 + step;
  return site + form(Math.floor(all / 12), String((all % 12) + 1).padStart(2, "0"));
};
const calendars: ReadonlyArray<readonly [string, (year: number, month: string) => string]> = [
  ["months in the path", (year, month) => `/cal/${year}/${month}/`],
  ["days in the path", (year, month) => `/cal/${year}-${month}-07`],
  ["a date in a parameter", (year, month) => `/cal?view=day&date=${year}-${month}-07`],
  ["a date without strokes", (year, month) => `/cal?date=${year}${month}07`],
  ["year and month apart", (year, month) => `/cal.php?year=${year}&month=${Number(month)}&day=7`],
];
for (const [what, form] of calendars) {
  test(`a calendar ends some months behind its window: ${what}`, () => {
    const guard = new TrapGuard(now);
    let followed = 0;
    for (let step = 0; step < 2400; step++) followed += Number(guard.admit(month(step, form)) !== undefined);
    // The window of 24 months, this month, and 12 more.
    assert.equal(followed, 24 + 1 + 12);
    const followedAt = [3000, -3, -360, -361].map((step) => guard.admit(month(step, form)) !== undefined);
    assert.deepEqual(followedAt, [false, true, true, false]);
  });
}

test("articles below a date, numbers and versions are no calendar", () => {
  const guard = new TrapGuard(Date.UTC(2050, 0));
  for (let year = 1950; year < 1990; year++) isFollowed(guard, `/${year}/03/`);
  assert.equal(isFollowed(guard, "/1999/03/"), false);
  const urls = [
    "/1999/03/a-title",
    "/1999/03/a-title.html",
    "/rfc1999/",
    "/a?id=199903",
    "/v1999.1.2-x/doc",
    "/products/20010203456",
  ];
  assert.deepEqual(
    urls.filter((path) => !isFollowed(guard, path)),
    [],
  );
});

test("a list ends where three pages in a row brought nothing new", () => {
  for (const form of [(page: number) => `/list?page=${page}&by=x`, (page: number) => `/list/page/${page}/`]) {
    const guard = new TrapGuard(now);
    let page = 1;
    for (; isFollowed(guard, form(page)); page++) guard.learn(site + form(page), page % 3 === 0 && page < 20);
    assert.equal(page, 18 + 3 + 1);
    assert.equal(isFollowed(guard, form(500)), false);
    assert.equal(isFollowed(guard, "/other?page=500"), true);
  }
});
