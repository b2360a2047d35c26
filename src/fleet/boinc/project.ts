import type { EpochMs } from "../../core/index.ts";
import type { Submission, UnitDispatcher } from "../volunteers/unit-dispatcher.ts";
import type { Accounts } from "./accounts.ts";
import type { Application } from "./application.ts";
import type { ProjectSecret } from "./project-secret.ts";
import type { TaskStore } from "./task-store.ts";

/** What happens between clients and the server, for whoever watches. */
export type BoincEvent =
  | {
      readonly event: "boinc-tasks";
      readonly volunteer: string;
      readonly host: number;
      readonly tasks: readonly string[];
    }
  | {
      readonly event: "boinc-result";
      readonly volunteer: string;
      readonly task: string;
      /** `failed` if the client had no result. */
      readonly outcome: Submission | "failed";
    }
  | { readonly event: "boinc-refused"; readonly volunteer: string; readonly reason: string }
  /** The server itself could not do it. */
  | { readonly event: "boinc-failed"; readonly reason: string }
  | { readonly event: "boinc-upload-refused"; readonly file: string; readonly reason: string };

/** A project that BOINC's clients attach to. */
export interface BoincProject {
  readonly name: string;
  /** Where clients reach it: an origin and `/`. */
  readonly masterUrl: string;
  readonly application: Application;
  /** The application's files by their names. */
  readonly applicationBytes: ReadonlyMap<string, Uint8Array>;
  /** Where results lie until they are reported. */
  readonly uploadFolder: string;
  readonly store: TaskStore;
  readonly accounts: Accounts;
  readonly secret: ProjectSecret;
  readonly dispatcher: UnitDispatcher;
  readonly now: () => EpochMs;
  readonly onEvent: (event: BoincEvent) => void;
  /** How long a client waits at least between two requests. */
  readonly requestDelaySeconds: number;
}

/** Paths below the project's URL. The client knows an upload handler by its name. */
export const paths = {
  projectConfig: "/get_project_config.php",
  lookupAccount: "/lookup_account.php",
  createAccount: "/create_account.php",
  scheduler: "/boinc/scheduler",
  application: "/boinc/application/",
  unit: "/boinc/unit/",
  upload: "/boinc/file_upload_handler",
} as const;

/** Name of a task's output: nobody but the host that has the task knows it. */
export function outputNameOf(project: BoincProject, task: string): string {
  return `${task}_${project.secret.token("output", task)}`;
}

/** The task whose output has a name; undefined if it is none that {@link outputNameOf} gives. */
export function taskOfOutput(project: BoincProject, fileName: string): string | undefined {
  const task = fileName.slice(0, Math.max(fileName.lastIndexOf("_"), 0));
  return outputNameOf(project, task) === fileName ? task : undefined;
}
