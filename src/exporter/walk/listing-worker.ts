import { parentPort, workerData } from "node:worker_threads";
import { type ListingAnswer, type ListingTask, packListing } from "./folder-lister.ts";
import { listFolder } from "./folder-listing.ts";

// The body of a thread that lists folders for FolderLister.
parentPort?.on("message", ({ key, location }: ListingTask) => {
  try {
    const listing = packListing(listFolder(location, workerData as string));
    const answer: ListingAnswer = { key, listing };
    parentPort?.postMessage(answer, [listing.kinds.buffer, listing.nameRules.buffer, listing.numbers.buffer]);
  } catch (error) {
    const { code = "unknown", message } = error as NodeJS.ErrnoException;
    const answer: ListingAnswer = { key, failure: { code, message } };
    parentPort?.postMessage(answer);
  }
});

const ready: ListingAnswer = { isReady: true };
parentPort?.postMessage(ready);
