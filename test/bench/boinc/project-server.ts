import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { EpochMs } from "../../../src/core/index.ts";
import { BoincHandler } from "../../../src/fleet/boinc/boinc-handler.ts";
import type { BoincEvent, BoincProject } from "../../../src/fleet/boinc/project.ts";
import { makeBoincProject, openBoincProject } from "../../../src/fleet/boinc/project-folder.ts";
import type { UnitDispatcher } from "../../../src/fleet/volunteers/unit-dispatcher.ts";
import { cert, key } from "../../http/own-certificate.ts";

/** A project that is served over HTTPS on the loopback. */
export interface ProjectServer extends AsyncDisposable {
  readonly url: string;
  readonly accountKeys: Readonly<Record<string, string>>;
  readonly project: BoincProject;
  readonly events: readonly BoincEvent[];
}

/** What a test's project has. */
export interface TestProject {
  readonly folder: string;
  readonly program?: string;
  /** Who may attach. Default: somebody and another. */
  readonly volunteers?: readonly string[];
  readonly signingKey: string;
  readonly dispatcher: UnitDispatcher;
  readonly now?: () => EpochMs;
  /** What is changed of the project before it is served. */
  readonly change?: (project: BoincProject) => Partial<BoincProject>;
  /** What becomes of a body on its way to the client. */
  readonly spoil?: (path: string, bytes: Uint8Array) => Uint8Array;
}

/** Makes a project and serves it. */
export async function serveProject(given: TestProject): Promise<ProjectServer> {
  const { folder, volunteers = ["somebody", "another"], program = "// a program\n" } = given;
  const natives = new Map([["x86_64-pc-linux-gnu", Buffer.from("native")]]);
  const { accountKeys } = await makeBoincProject(
    folder,
    { script: Buffer.from(program), natives },
    given.signingKey,
    volunteers,
  );
  for (const volunteer of volunteers) given.dispatcher.register(volunteer, 0);
  const events: BoincEvent[] = [];
  let handler: BoincHandler | undefined;
  const server = createServer({ cert, key }, (request, response) => {
    if (given.spoil !== undefined) spoilEnd(response, request.url ?? "", given.spoil);
    void handler?.answer(request, response).then((isAnswered) => {
      if (!isAnswered) response.writeHead(404).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const opened = openBoincProject(folder, {
    name: "Tidemark test",
    masterUrl: url,
    ...{ volunteers, dispatcher: given.dispatcher },
    now: given.now ?? Date.now,
    onEvent: (event) => void events.push(event),
    requestDelaySeconds: 1,
  });
  const project: BoincProject = { ...opened, ...given.change?.(opened) };
  handler = new BoincHandler(project);
  return {
    url,
    accountKeys,
    project,
    events,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      project.store.close();
    },
  };
}

function spoilEnd(response: ServerResponse, path: string, spoil: NonNullable<TestProject["spoil"]>): void {
  const end = response.end.bind(response) as (body?: string | Uint8Array) => ServerResponse;
  response.end = ((body?: string | Uint8Array) =>
    end(typeof body === "object" ? spoil(path, body) : body)) as ServerResponse["end"];
}
