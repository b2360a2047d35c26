import { ProbeWriter } from "../../../src/exporter/lists/probe-file.ts";

// Writes one file of records after another until it is killed; all records of one file carry its number.
const [, , path = ""] = process.argv;
for (let round = 1; ; round++) {
  process.send?.(round);
  await using writer = new ProbeWriter(path);
  for (let at = 0; at < 3000; at++) {
    const isDue = writer.add({
      path: `/${String(at).padStart(5, "0")}`,
      state: "present",
      askedAt: round,
      sizeBytes: at,
      lastModified: undefined,
      mediaType: undefined,
      digest: undefined,
      validators: {},
    });
    if (isDue || at % 500 === 0) await writer.drain();
  }
  await writer.commit({ cursor: `/${round}`, after: 0, unasked: 0 });
}
