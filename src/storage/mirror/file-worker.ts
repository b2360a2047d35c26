import { type MessagePort, parentPort, receiveMessageOnPort } from "node:worker_threads";
import type { FileFault } from "./file-task.ts";
import { doFileTask, type FileTask } from "./file-task.ts";

// The body of a thread that does what FileThread is told.
function faultOf(error: unknown): FileFault {
  const { code, message } = error as NodeJS.ErrnoException;
  return { code, message };
}

function attempt(task: FileTask): FileFault | undefined {
  try {
    doFileTask(task);
    return undefined;
  } catch (error) {
    return faultOf(error);
  }
}

function serve(port: MessagePort): void {
  port.on("message", (first: FileTask) => {
    const faults = [attempt(first)];
    // What came meanwhile is done at once, and told in one message.
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
      faults.push(attempt(next.message as FileTask));
    port.postMessage(faults);
  });
}

if (parentPort !== null) serve(parentPort);
