import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** A socket in a folder. It is named from there: the kernel takes no name of more than some hundred bytes. */
export async function listenIn(folder: string, name: string): Promise<Server> {
  const before = process.cwd();
  process.chdir(folder);
  try {
    const server = createServer().listen(name);
    await once(server, "listening");
    return server;
  } finally {
    process.chdir(before);
  }
}
