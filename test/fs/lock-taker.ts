import { createInterface } from "node:readline";
import { SiteLock } from "../../src/fs/site-lock.ts";

// A process for site-lock.test.ts: it takes and gives back locks as its standard input says.
let held: SiteLock | undefined;

async function obey(line: string): Promise<string> {
  const [word, folder = ""] = line.split(" ");
  if (word === "take") {
    try {
      held = await SiteLock.take(folder, new Date());
      return "taken";
    } catch (error) {
      return String((error as { code?: unknown }).code ?? error);
    }
  }
  if (word === "give") {
    await held?.[Symbol.asyncDispose]();
    held = undefined;
    return "given";
  }
  return "ready";
}

for await (const line of createInterface({ input: process.stdin })) process.stdout.write(`${await obey(line)}\n`);
