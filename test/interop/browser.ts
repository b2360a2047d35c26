import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { makeTempFolder } from "../temp-folder.ts";
import { requireProgram } from "./programs.ts";

/** What a reader's screen asks of pages. */
export const colourSchemes = ["light", "dark"] as const;

/** One of {@link colourSchemes}. */
export type ColourScheme = (typeof colourSchemes)[number];

/** A real Chromium, driven by W3C WebDriver. */
export class Browser implements AsyncDisposable {
  readonly #driver: ChildProcess;
  readonly #session: string;
  readonly #temp: ReturnType<typeof makeTempFolder>;

  private constructor(driver: ChildProcess, session: string, temp: ReturnType<typeof makeTempFolder>) {
    this.#driver = driver;
    this.#session = session;
    this.#temp = temp;
  }

  /** Starts a browser with a profile of its own. */
  static async start(): Promise<Browser> {
    const temp = makeTempFolder("browser");
    const env = { PATH: process.env.PATH, HOME: temp.path, LANG: "C.UTF-8" };
    const driver = spawn(requireProgram("chromedriver"), ["--port=0"], { env, stdio: ["ignore", "pipe", "ignore"] });
    try {
      const origin = `http://127.0.0.1:${await readPort(driver)}`;
      const args = ["headless=new", "no-sandbox", "disable-gpu", "hide-scrollbars", "disable-dev-shm-usage"];
      const options = { args: [...args, `user-data-dir=${join(temp.path, "profile")}`] };
      const capabilities = { alwaysMatch: { browserName: "chrome", "goog:chromeOptions": options } };
      const { sessionId } = await ask<{ sessionId: string }>(`${origin}/session`, { capabilities });
      return new Browser(driver, `${origin}/session/${sessionId}`, temp);
    } catch (error) {
      driver.kill();
      temp[Symbol.dispose]();
      throw error;
    }
  }

  /** Opens a page and waits until it is loaded. */
  async open(url: string, scheme: ColourScheme, widthPixels: number, heightPixels: number): Promise<void> {
    const features = [{ name: "prefers-color-scheme", value: scheme }];
    await this.#command("Emulation.setEmulatedMedia", { features });
    const metrics = { width: widthPixels, height: heightPixels, deviceScaleFactor: 1, mobile: false };
    await this.#command("Emulation.setDeviceMetricsOverride", metrics);
    await ask(`${this.#session}/url`, { url });
  }

  /** Runs the body of a function in the page. @returns what it returns, as JSON */
  async evaluate<T>(script: string, ...args: readonly unknown[]): Promise<T> {
    return await ask<T>(`${this.#session}/execute/sync`, { script, args });
  }

  /** Runs the body of a function that is given a callback last. @returns what the callback is given, as JSON */
  async evaluateLater<T>(script: string, ...args: readonly unknown[]): Promise<T> {
    return await ask<T>(`${this.#session}/execute/async`, { script, args });
  }

  /** Presses a key and lets it go. @param key - as WebDriver has it, such as `\uE004` for Tab */
  async press(key: string): Promise<void> {
    const actions = [
      { type: "keyDown", value: key },
      { type: "keyUp", value: key },
    ];
    await ask(`${this.#session}/actions`, { actions: [{ type: "key", id: "keyboard", actions }] });
  }

  /** What is on the screen, as PNG. */
  async takeScreenshot(): Promise<Buffer> {
    return Buffer.from(await ask<string>(`${this.#session}/screenshot`), "base64");
  }

  /** Ends the browser. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#driver, "close");
    await fetch(this.#session, { method: "DELETE" }).catch(() => undefined);
    this.#driver.kill();
    await ended;
    this.#temp[Symbol.dispose]();
  }

  async #command(cmd: string, params: object): Promise<void> {
    await ask(`${this.#session}/goog/cdp/execute`, { cmd, params });
  }
}

async function readPort(driver: ChildProcess): Promise<number> {
  if (driver.stdout === null) throw new TypeError("the driver has no pipe");
  const lines = createInterface({ input: driver.stdout });
  for await (const line of lines) {
    const port = /started successfully on port (\d+)/.exec(line)?.[1];
    if (port === undefined) continue;
    driver.stdout.resume();
    return Number(port);
  }
  throw new Error("chromedriver did not start");
}

async function ask<T>(url: string, body?: object): Promise<T> {
  const request = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(url, { ...request, signal: AbortSignal.timeout(60_000) });
  const { value } = (await answer.json()) as { value: T & { message?: string } };
  if (!answer.ok) throw new Error(`${url}: ${value.message}`);
  return value;
}
