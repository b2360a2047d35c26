import { type MessagePort, parentPort, receiveMessageOnPort } from "node:worker_threads";
import type { FileFault } from "./file-thread.ts";
import { placeWholeFile, type WholeFile } from "./whole-file.ts";

// The body of a thread that makes files for FileThread.
function faultOf(error: unknown): FileFault {
  const { code, message } = error as NodeJS.ErrnoException;
  return { code, message };
}

function place(file: WholeFile): FileFault | undefined {
  try {
    placeWholeFile(file);
    return undefined;
  } catch (error) {
    return faultOf(error);
  }
}

function serve(port: MessagePort): void {
  port.on("message", (first: WholeFile) => {
    const faults = [place(first)];
    // What came meanwhile is done at once, and told in one message.
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
      faults.push(place(next.message as WholeFile));
    port.postMessage(faults);
  });
}

if (parentPort !== null) serve(parentPort);
