import { type MessagePort, parentPort, receiveMessageOnPort } from "node:worker_threads";
import { doFileTask, type FileFault, type FileTask } from "./file-thread.ts";

// The body of a thread that does what FileThread is told.
function attempt(task: FileTask): FileFault | undefined {
  try {
    doFileTask(task);
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { code, message };
  }
}

function serve(port: MessagePort): void {
  port.on("message", (first: FileTask) => {
    const faults = [attempt(first)];
    // What came meanwhile is done too, and answered in the same message.
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
      faults.push(attempt(next.message as FileTask));
    port.postMessage(faults);
  });
}

if (parentPort !== null) serve(parentPort);
