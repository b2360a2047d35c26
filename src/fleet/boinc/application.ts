import { createHash, createPublicKey, type KeyObject } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { TidemarkError, wrapSystemError } from "../../core/index.ts";
import { makeMissingFolder, writeDurably } from "../../fs/index.ts";
import { formatCodeSignKey, isSignedBy, signFile } from "./code-signing.ts";

/** The name by which clients know the application, also in `app_info.xml`. */
export const applicationName = "tidemark_work";

/** A program that does tasks: Node runs it in a folder with the file `unit`, and it writes the file `result`. */
export interface TaskProgram {
  /** JavaScript, an ES module, whole in one file. */
  readonly script: Uint8Array;
  /** Native code that the script loads from where TIDEMARK_LIBSQL says, by BOINC's name of the platform. */
  readonly natives: ReadonlyMap<string, Uint8Array>;
}

/** A signed file of the application. */
export interface SignedFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly md5: string;
  readonly signature: string;
  readonly isMain: boolean;
}

/** The application that volunteers download. */
export interface Application {
  readonly versionNum: number;
  /** In PEM, and as clients read it. */
  readonly publicKey: string;
  readonly codeSignKey: string;
  /** The files of each platform, by BOINC's name of it. */
  readonly platforms: Readonly<Record<string, readonly SignedFile[]>>;
}

/** An application, and the bytes of its files by their names. */
export interface ReadApplication {
  readonly application: Application;
  readonly applicationBytes: ReadonlyMap<string, Uint8Array>;
}

interface PlainFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly isMain: boolean;
}

const manifestName = "application.json";

function describeMain(script: string, native: string): Uint8Array {
  const lines = [
    "#!/bin/sh",
    "# One task: reads the file unit, writes the file result.",
    'here=$(cd "$(dirname "$0")" && pwd)',
    // Where Node is, though not in the short PATH of a service.
    'PATH="$PATH:/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin"',
    `TIDEMARK_LIBSQL="$here/${native}"`,
    "export TIDEMARK_LIBSQL",
    "rm -f result",
    // Only the volunteer can allow sites of a private network, by the client's environment.
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's
    `node "$here/${script}" ${"${TIDEMARK_ALLOW_PRIVATE:+--allow-private}"}`,
    "status=$?",
    // A result may say that its site could not be reached. Without the last file the client starts a task again.
    "[ -s result ] || exit $((status ? status : 1))",
    "echo 0 >boinc_finish_called",
    "",
  ];
  return Buffer.from(lines.join("\n"));
}

function listFiles({ script, natives }: TaskProgram, versionNum: number): Map<string, readonly PlainFile[]> {
  const name = `${applicationName}_${versionNum}`;
  const shared: PlainFile = { name: `${name}.mjs`, bytes: script, isMain: false };
  return new Map(
    [...natives].map(([platform, bytes]) => {
      const native: PlainFile = { name: `${name}_${platform}.node`, bytes, isMain: false };
      const main = { name: `${name}_${platform}`, bytes: describeMain(shared.name, native.name), isMain: true };
      return [platform, [main, shared, native]];
    }),
  );
}

/**
 * Signs a program as the application of volunteers and writes it where the server finds it. Clients never download a file
 * of the same name again, so another program gets another number.
 *
 * @returns the number of the version
 * @throws TidemarkError `state-corrupt` if the application that is there is not as it was signed
 */
export async function writeApplication(folder: string, program: TaskProgram, key: KeyObject): Promise<number> {
  const former = existsSync(join(folder, manifestName)) ? readApplication(folder) : undefined;
  const formerNum = former?.application.versionNum ?? 0;
  const isSame = [...listFiles(program, formerNum).values()]
    .flat()
    .every(({ name, bytes }) => Buffer.compare(former?.applicationBytes.get(name) ?? Buffer.alloc(0), bytes) === 0);
  const versionNum = isSame ? formerNum : formerNum + 1;
  const files = listFiles(program, versionNum);
  const sign = ({ name, bytes, isMain }: PlainFile): SignedFile => {
    const md5 = createHash("md5").update(bytes).digest("hex");
    return { name, sizeBytes: bytes.length, md5, signature: signFile(md5, key), isMain };
  };
  const application: Application = {
    versionNum,
    publicKey: createPublicKey(key as never).export({ type: "spki", format: "pem" }) as string,
    codeSignKey: formatCodeSignKey(key),
    platforms: Object.fromEntries([...files].map(([platform, ofPlatform]) => [platform, ofPlatform.map(sign)])),
  };
  makeMissingFolder(folder);
  for (const { name, bytes } of [...files.values()].flat()) await writeDurably(join(folder, name), bytes);
  await writeDurably(join(folder, manifestName), `${JSON.stringify(application, undefined, 2)}\n`);
  return versionNum;
}

/** Reads what {@link writeApplication} wrote. @throws TidemarkError `not-found`; `state-corrupt` if a file is not as it was signed */
export function readApplication(folder: string): ReadApplication {
  const file = join(folder, manifestName);
  let application: Application;
  try {
    application = JSON.parse(readSigned(file).toString()) as Application;
  } catch (error) {
    throw error instanceof SyntaxError ? damaged(file) : error;
  }
  const key = createPublicKey(application.publicKey);
  const applicationBytes = new Map<string, Uint8Array>();
  for (const { name, md5, signature } of Object.values(application.platforms).flat()) {
    const path = join(folder, name);
    const bytes = readSigned(path);
    const found = createHash("md5").update(bytes).digest("hex");
    if (found !== md5 || !isSignedBy(key, md5, signature)) throw damaged(path);
    applicationBytes.set(name, bytes);
  }
  return { application, applicationBytes };
}

function readSigned(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw wrapSystemError(error, `read ${file}`, { file });
  }
}

function damaged(file: string): TidemarkError {
  return new TidemarkError("state-corrupt", `The application is not as it was signed: ${file}`, {
    hint: "Move the folder away and run `tidemark volunteers init` with --boinc again, where the signing key is.",
    details: { file },
  });
}
