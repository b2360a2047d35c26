import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseHTML } from "linkedom";
import type { FollowStatus } from "../../src/crawler/follow/follow-status.ts";
import { type FollowerPageOptions, renderFollowerPage } from "../../src/report/follower-page/follower-page.ts";
import { exampleStatus } from "../example-status.ts";

const paths = { style: "/style.css", script: "/script.js", events: "/events", control: "/control" };
const options: FollowerPageOptions = { paths, token: "secret" };

function open(status: FollowStatus | undefined, more: FollowerPageOptions = options) {
  return parseHTML(renderFollowerPage(status, more)).document;
}

// What no list of sites lets in; the page relies on nobody.
const hostile = [
  `https://x.example/"><script>alert(1)</script>`,
  `https://x.example' onmouseover=alert(1) x='`,
  "https://x.example/</span></li></ul></section><h1>gone",
  "https://x.example/<!--",
  `https://x.example/&quot;&lt;script&gt;`,
  "https://x.example/\u202Egnp.\u0000\u001b[31m",
];

describe("the page of a follower", () => {
  it("shows sites, freshness and troubles without a script", () => {
    const document = open(exampleStatus());
    const text = document.body.textContent ?? "";
    for (const part of [
      ...[/2,007/, /3 under way, 14 paused, 9 in back-off/, /Up to an hour900/, /Never7/, /the first for 1 s/],
      ...[/https:\/\/b\.example/, /failed 7 times; next in 10 min; never visited/, /connect refused/],
      ...[/waits 30 s: the site asked to wait/, /and 1,988 more sites/],
    ])
      assert.match(text, part);
    const forms = [...document.querySelectorAll("form")];
    assert.ok(forms.length >= 6);
    for (const form of forms)
      assert.deepEqual([form.getAttribute("method"), form.getAttribute("action")], ["post", "/control"]);
    const labels = [...document.querySelectorAll("#troubled button")].map((one) => one.getAttribute("aria-label"));
    assert.deepEqual(labels, ["Pause https://b.example", "Visit now https://b.example"]);
  });

  it("escapes whatever comes from sites: no name and no message becomes markup", () => {
    const tags = (status: FollowStatus): string[] =>
      [...open(status).querySelectorAll("*")].map(({ tagName, attributes }) =>
        [tagName, ...[...attributes].map(({ name }) => name)].join(" "),
      );
    const statusOf = (name: (at: number) => string): FollowStatus => {
      const row = (at: number) => ({ site: name(at), nextMs: 1_800_000_000_000, priority: 5 });
      const numbers = hostile.map((_, at) => at);
      return exampleStatus({
        host: name(0),
        visiting: numbers.map((at) => ({ site: name(at), sinceMs: 0, requests: 1, bytes: 1, changes: 1 })),
        troubled: numbers.map((at) => ({ site: name(at), failures: 1, message: name(at) })),
        next: numbers.map(row),
        pausedSites: numbers.map(row),
      });
    };
    assert.deepEqual(tags(statusOf((at) => hostile[at] ?? "")), tags(statusOf((at) => `https://${at}.example`)));
    const document = open(statusOf((at) => hostile[at] ?? ""));
    const rows = [...document.querySelectorAll("#troubled li")];
    for (const [at, name] of hostile.slice(0, 5).entries()) {
      assert.equal(rows[at]?.querySelector("input[name=site]")?.getAttribute("value"), name);
      assert.equal(rows[at]?.querySelector(".trouble")?.textContent, name);
    }
  });

  it("has a bounded number of rows, whatever is listed", () => {
    const next = Array.from({ length: 100 }, (_, at) => ({ site: `https://${at}.example`, nextMs: 0, priority: 5 }));
    const document = open(exampleStatus({ next, waiting: 100_000 }));
    assert.equal(document.querySelectorAll("#next li").length, 25);
    assert.match(document.querySelector("#next")?.textContent ?? "", /and 99,975 more sites/);
  });

  it("has no controls without a token, and is a page before there is a status", () => {
    const document = open(exampleStatus(), { paths, token: undefined });
    assert.equal(document.querySelectorAll("form, button, input").length, 0);
    assert.match(open(undefined).body.textContent ?? "", /about to start/);
  });
});
