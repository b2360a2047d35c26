import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { compileContentRules } from "../../formats/html/index.ts";
import { ContentExaminer } from "./content-examiner.ts";
import { type DigestTask, type DigestThreadSettings, packDigests, unpackFiles, watchAt } from "./digest-thread.ts";
import { FileDigester } from "./file-digest.ts";

/** A disk reads no less than a block of a file. */
const blockBytes = 4096;
/** Shorter waits are saved up. */
const shortestWaitMs = 10;

/** Makes a thread wait so that it reads no more than so many bytes a second. */
class ReadPace {
  readonly #bytesPerSecond: number;
  readonly #cell: Int32Array = new Int32Array(new SharedArrayBuffer(4));
  #freeAtMs = 0;
  #prepaidBytes = 0;

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** Waits until `bytes` that were read are paid for; 0 begins a file, which counts as a block at least. */
  spend(bytes: number): void {
    // What a file has beyond its first block is counted as it comes.
    const dueBytes = bytes === 0 ? blockBytes : Math.max(0, bytes - this.#prepaidBytes);
    this.#prepaidBytes = bytes === 0 ? blockBytes : Math.max(0, this.#prepaidBytes - bytes);
    const nowMs = performance.now();
    this.#freeAtMs = Math.max(this.#freeAtMs, nowMs - shortestWaitMs) + (dueBytes * 1000) / this.#bytesPerSecond;
    const waitMs = this.#freeAtMs - nowMs;
    if (waitMs >= shortestWaitMs) Atomics.wait(this.#cell, 0, 0, waitMs);
  }
}

async function serve(port: MessagePort, settings: DigestThreadSettings): Promise<void> {
  const { ruleSource, ioLimitBytesPerSecond, findsNoindex, includes, watch } = settings;
  const rules = ruleSource === undefined ? undefined : await compileContentRules(ruleSource);
  const pace = ioLimitBytesPerSecond === undefined ? undefined : new ReadPace(ioLimitBytesPerSecond);
  const digester = new FileDigester({ findsNoindex, includes, pace: pace && ((bytes) => pace.spend(bytes)) });
  const onPattern = (pattern: number): void => {
    // A page's whole examination is one step: so its time is bounded, however many patterns there are.
    if ((watch[watchAt.pattern] ?? -1) < 0) Atomics.add(watch, watchAt.steps, 1);
    watch[watchAt.pattern] = pattern;
  };
  const examiner = rules && new ContentExaminer(digester, rules, onPattern);
  port.on("message", (task: DigestTask) => {
    const digests = unpackFiles(task).map((file, at) => {
      watch[watchAt.file] = at;
      return examiner === undefined ? digester.digest(file) : examiner.digest(file, task.troubles.get(at));
    });
    const answer = packDigests(digests);
    port.postMessage(answer, [answer.numbers.buffer]);
  });
}

// The body of a thread that digests files for DigestPool. Nothing is awaited while the module is loaded: a thread that is
// ended meanwhile would end the whole process (V8 of Node 20, SourceTextModule::ExecuteAsyncModule).
if (parentPort !== null) void serve(parentPort, workerData as DigestThreadSettings);
