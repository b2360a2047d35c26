import { appendFileSync, readFileSync } from "node:fs";
import { crawlSite } from "../../../src/crawler/crawl-site.ts";

// A crawl that writes what it is handed into a log, and is killed in the call whose number is given: after what the call
// does, and before it ends. It comes on the day that is given, from today.
const [url = "", into = "", log = "", killAt = "0", day = "0"] = process.argv.slice(2);
let calls = 0;

function note(...words: readonly string[]): void {
  appendFileSync(log, `${words.join(" ")}\n`);
  if (++calls === Number(killAt)) process.kill(process.pid, "SIGKILL");
}

await crawlSite({
  url,
  into,
  sources: ["archives", "links"],
  lookAgainMs: 0,
  clock: () => Date.now() + Number(day) * 86_400_000,
  keep: {
    kind: "callback",
    onBody: ({ path, body }) => {
      note("take", path, Buffer.from(body instanceof Uint8Array ? body : readFileSync(body.file)).toString("base64"));
    },
    onRemoval: ({ path }) => note("drop", path),
  },
});
