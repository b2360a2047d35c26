import assert from "node:assert/strict";
import { test } from "node:test";
import type { TrapVerdict } from "../../../../src/crawler/engine/discovery/trap-guard.ts";
import { TrapGuard } from "../../../../src/crawler/engine/discovery/trap-guard.ts";

const now = Date.UTC(2026, 5, 15);
const site = "https://a.example";

function reasonOf(verdict: TrapVerdict): string {
  return verdict.kind === "follow" ? "follow" : verdict.reason;
}

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
    const verdict = new TrapGuard(now).judge(site + before);
    assert.deepEqual(verdict, { kind: "follow", url: site + after, hadSession: before !== after });
  });
}

const paths: ReadonlyArray<readonly [string, string]> = [
  ["/a/b/a/b/a/b/c", "repeating-path"],
  ["/x/a/a/a", "repeating-path"],
  ["/a/b/a/b/c", "follow"],
  ["/a/b/c/a/b/c/a/b/c/", "repeating-path"],
  ["/a/b/a/c/a/b", "follow"],
  [`/${"x".repeat(2048)}`, "url-too-long"],
  [`/${Array.from({ length: 33 }, (_, at) => at).join("/")}`, "path-too-deep"],
  [`/${Array.from({ length: 32 }, (_, at) => at).join("/")}`, "follow"],
];
for (const [path, reason] of paths) {
  test(`${path.slice(0, 40)} is judged ${reason}`, () => {
    assert.equal(reasonOf(new TrapGuard(now).judge(site + path)), reason);
  });
}

test("a path has so many queries, and those that were let through stay so", () => {
  const guard = new TrapGuard(now, { maxQueries: 3 });
  const judge = (query: string): string => reasonOf(guard.judge(`${site}/a?${query}`));
  assert.deepEqual(["x=1", "x=2", "x=3", "x=4", "x=2"].map(judge), [
    "follow",
    "follow",
    "follow",
    "too-many-queries",
    "follow",
  ]);
  assert.equal(reasonOf(guard.judge(`${site}/b?x=4`)), "follow");
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
    for (let step = 0; step < 2400; step++) followed += guard.judge(month(step, form)).kind === "follow" ? 1 : 0;
    // The window of 24 months, this month, and 12 more.
    assert.equal(followed, 24 + 1 + 12);
    assert.equal(reasonOf(guard.judge(month(3000, form))), "calendar");
    assert.equal(reasonOf(guard.judge(month(-3, form))), "follow");
    assert.equal(reasonOf(guard.judge(month(-360, form))), "follow");
    assert.equal(reasonOf(guard.judge(month(-361, form))), "calendar");
  });
}

test("articles below a date, numbers and versions are no calendar", () => {
  const guard = new TrapGuard(now, { pastMonths: 24, maxOtherMonths: 0 });
  const urls = [
    "/1999/03/a-title",
    "/1999/03/a-title.html",
    "/rfc1999/",
    "/a?id=199903",
    "/v1999.1.2-x/doc",
    "/products/20010203456",
  ];
  assert.deepEqual(
    urls.map((path) => reasonOf(guard.judge(site + path))),
    urls.map(() => "follow"),
  );
  assert.equal(reasonOf(guard.judge(`${site}/1999/03/`)), "calendar");
});

test("a list ends where three pages in a row brought nothing new", () => {
  for (const form of [
    (page: number) => `${site}/list?page=${page}&by=x`,
    (page: number) => `${site}/list/page/${page}/`,
  ]) {
    const guard = new TrapGuard(now);
    let page = 1;
    for (; guard.judge(form(page)).kind === "follow"; page++) guard.learn(form(page), page % 3 === 0 && page < 20);
    assert.equal(page, 18 + 3 + 1);
    assert.equal(reasonOf(guard.judge(form(500))), "barren-list");
    assert.equal(reasonOf(guard.judge(`${site}/other?page=500`)), "follow");
  }
});

test("what is remembered is bounded", () => {
  const guard = new TrapGuard(now, { maxRemembered: 2, maxQueries: 1 });
  const judge = (path: string): string => reasonOf(guard.judge(site + path));
  assert.deepEqual(["/a?1", "/b?1", "/a?2", "/c?1"].map(judge), ["follow", "follow", "too-many-queries", "follow"]);
  // "/b" was not asked for longest and is forgotten; "/a" is not.
  assert.deepEqual(["/a?2", "/b?2"].map(judge), ["too-many-queries", "follow"]);
});
