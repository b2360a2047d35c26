import { formatErrorReport, reportError } from "../terminal/exit-code.ts";
import { Output } from "../terminal/output.ts";
import { runWork } from "./work-run.ts";

// What BOINC's clients run: `tidemark work` alone, bundled as one file. Its folder has the file unit and gets the file result.
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());
const [out, err] = [process.stdout, process.stderr].map((stream) => new Output(stream, () => undefined)) as [
  Output,
  Output,
];
runWork(
  { kind: "filter", input: "unit", output: "result", allowPrivate: process.argv.includes("--allow-private") },
  { out, err, input: () => process.stdin, json: false, quiet: false, signal: stop.signal },
).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    const known = reportError(error);
    process.exitCode = known.exitCode;
    err.write(`${formatErrorReport(known)}`);
  },
);
