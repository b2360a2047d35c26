import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { compileContentRules } from "../../formats/html/index.ts";
import { ContentExaminer } from "./content-examiner.ts";
import { packDigests, transferOf, unpackFiles } from "./digest-codec.ts";
import { type DigestAnswer, type DigestTask, type DigestThreadSettings, watchAt } from "./digest-thread.ts";
import { FileDigester } from "./file-digest.ts";
import { ReadPace } from "./read-pace.ts";

/** Digests what it is sent, one task after the other. */
async function serve(port: MessagePort, settings: DigestThreadSettings): Promise<void> {
  const { ruleSource, ioLimitBytesPerSecond, findsNoindex, includes, watch } = settings;
  const rules = ruleSource === undefined ? undefined : await compileContentRules(ruleSource);
  const pace = ioLimitBytesPerSecond === undefined ? undefined : new ReadPace(ioLimitBytesPerSecond);
  const spend = pace === undefined ? undefined : (bytes: number) => pace.spend(bytes);
  const digester = new FileDigester(undefined, spend, findsNoindex, includes);
  const examiner =
    rules === undefined
      ? undefined
      : new ContentExaminer(digester, rules, (pattern) => {
          // A page's whole examination is one step: so its time is bounded, however many patterns there are.
          if ((watch[watchAt.pattern] ?? -1) < 0) Atomics.add(watch, watchAt.steps, 1);
          watch[watchAt.pattern] = pattern;
        });
  port.on("message", (task: DigestTask) => {
    const digests = unpackFiles(task.files).map((file, at) => {
      watch[watchAt.file] = at;
      return examiner === undefined ? digester.digest(file) : examiner.digest(file, task.files.troubles.get(at));
    });
    const packed = packDigests(digests);
    const answer: DigestAnswer = { digests: packed };
    port.postMessage(answer, transferOf(packed));
  });
}

// The body of a thread that digests files for DigestPool. Nothing is awaited while the module is loaded: a thread that is
// ended meanwhile would end the whole process (V8 of Node 20, SourceTextModule::ExecuteAsyncModule).
if (parentPort !== null) void serve(parentPort, workerData as DigestThreadSettings);
