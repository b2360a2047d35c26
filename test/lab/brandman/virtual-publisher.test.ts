import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";
import { VirtualPublisher } from "../../../lab/brandman/virtual-publisher.ts";
import { createLabPorts } from "../../../lab/program/lab-ports.ts";
import { daySeconds, findShiftDays } from "../../bench/replay/history.ts";
import { ReplayedPublisher } from "../../bench/replay/replayed-publisher.ts";
import { ReplayedSite } from "../../bench/replay/replayed-site.ts";
import { longer } from "../../long-run.ts";
import { makeTempFolder } from "../../temp-folder.ts";

test("the publisher in virtual time lists the archives that the real exporter leaves on a disk, name by name and byte by byte", async () => {
  using temp = makeTempFolder();
  const days = longer(14, 40);
  const firstDay = 20_000;
  const shift = findShiftDays(firstDay) * daySeconds;
  const docroot = join(temp.path, "docroot");
  const site = new ReplayedSite(docroot, { shiftSeconds: shift });
  const real = new ReplayedPublisher(docroot, join(temp.path, "state"), {});
  const virtual = new VirtualPublisher(createLabPorts(temp.path).pack);
  let bases = 0;
  for (let day = 0; day < days; day++) {
    const time = (firstDay + day) * daySeconds + 5000;
    site.apply(
      day === 0
        ? Array.from({ length: 2300 }, (_, page) => event(page, time - page, 40 + (page % 7)))
        : // Each fifth day nothing happens; on one day enough for a new base.
          Array.from({ length: day % 5 === 0 ? 0 : day === longer(9, 23) ? 2200 : 30 }, (_, at) => {
            const page = (at * 13 + day * 31) % 2400;
            return event(page, time + at, (at + day) % 9 === 0 ? undefined : 40 + ((page + day) % 7));
          }),
    );
    const published = await real.publish(site.pages, (firstDay + day) * daySeconds + shift + daySeconds - 1);
    const { index } = published.published;
    const made = await virtual.publish(published.pages, published.changes, published.time);
    const listed = made.index.archives.map(({ name, changes, sizeBytes }) => ({ name, changes, sizeBytes }));
    assert.deepEqual(listed, index.archives, `day ${day}`);
    assert.deepEqual(made.index.base, index.base);
    assert.deepEqual(made.baseArchives, published.published.base.archives);
    assert.deepEqual(
      [made.index.publication, made.index.completeFrom, made.index.pages],
      [index.publication, index.completeFrom, index.pages],
    );
    // Epochs and hosts differ.
    assert.ok(Math.abs(made.indexBytes - published.index.sizeBytes) < 40);
    bases += published.summary.newBase ? 1 : 0;
  }
  assert.equal(bases, 2);
});

function event(page: number, time: number, sizeBytes: number | undefined) {
  const name = createHash("sha256").update(String(page)).digest("hex").slice(0, 8);
  return { time, path: `folder ${page % 11}/${name}.${["html", "png", "css"][page % 3]}`, sizeBytes };
}
