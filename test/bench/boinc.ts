import { makeSigningKey } from "../../src/fleet/boinc/code-signing.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { type Benchmark, defineBenchmark, medianOf } from "./benchmark.ts";
import { ListedUnits } from "./boinc/listed-units.ts";
import { serveProject } from "./boinc/project-server.ts";
import { ask, readTasks, textsOf, writeSchedulerRequest, writeUpload } from "./boinc/spoken.ts";

const help = `npm run bench -- boinc [options]

What BOINC's clients cost a server: hosts take a task, download its unit, upload a result and report it, over HTTPS on the
loopback, each request on a new connection. Server and hosts share one process.

  --hosts N    hosts at the same time (default 8)
  --rounds N   tasks of each host (default 50)
  --bytes N    size of a unit and of a result (default 50000)
`;

async function measureHosts(hosts: number, rounds: number, bytes: number): Promise<void> {
  using temp = makeTempFolder("boinc");
  const deadline = Date.now() + 3_600_000;
  const units = Array.from({ length: hosts * rounds }, (_, at) => ({
    name: `unit-${at}`,
    bytes: Buffer.alloc(bytes, "x"),
    deadline,
    maxResultBytes: bytes,
  }));
  const dispatcher = new ListedUnits(units);
  const volunteers = Array.from({ length: hosts }, (_, at) => `host-${at}`);
  const given = { folder: temp.path, volunteers, signingKey: makeSigningKey(), dispatcher };
  await using server = await serveProject(given);
  const waits: number[] = [];
  const schedule = async (text: string): Promise<string> => {
    const start = performance.now();
    const answer = await ask(`${server.url}boinc/scheduler`, text);
    waits.push(performance.now() - start);
    return answer.text;
  };
  const runHost = async (name: string): Promise<void> => {
    const key = server.accountKeys[name] ?? "";
    let reply = await schedule(writeSchedulerRequest({ key }));
    const host = Number(textsOf(reply, "hostid")[0]);
    for (let seqno = 0; seqno < rounds; seqno++) {
      const [task] = readTasks(reply);
      if (task === undefined) throw new Error(`no task: ${reply}`);
      await ask(task.inputUrl);
      await ask(`${server.url}boinc/file_upload_handler`, writeUpload(task, Buffer.alloc(bytes, "y")));
      reply = await schedule(
        writeSchedulerRequest({ key, host, seqno, done: [task.name], seconds: seqno + 1 < rounds ? 1 : 0 }),
      );
    }
  };
  const start = performance.now();
  const cpu = process.cpuUsage();
  await Promise.all(volunteers.map(runHost));
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const done = dispatcher.results.size;
  if (done !== units.length) throw new Error(`${done} of ${units.length} results`);
  process.stdout.write(
    `${done} tasks in ${seconds.toFixed(1)} s: ${(done / seconds).toFixed(0)} a second, ${((user + system) / 1000 / done).toFixed(1)} ms of processor each; median scheduler request ${medianOf(waits).toFixed(0)} ms\n`,
  );
}

/** `npm run bench -- boinc` */
export const benchmark: Benchmark = defineBenchmark({
  help,
  options: { hosts: 8, rounds: 50, bytes: 50_000 },
  run: ({ hosts, rounds, bytes }) => measureHosts(hosts, rounds, bytes),
});
