// Is loaded with `node --import` before a program, which then lives in compressed time and knows the names of our sites.
import dns from "node:dns";
import { appendFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { constants, PerformanceObserver } from "node:perf_hooks";
import timers from "node:timers/promises";
import { compress, heapVariable, parseTime, timeVariable } from "./compressed-time.ts";
import { addressOfHost } from "./loopback-names.ts";

const time = parseTime(process.env[timeVariable]);
/** In real time: what waits for less would never let the machine rest. */
const leastWaitMs = 5;

const realNow = Date.now;
Date.now = () => compress(time, realNow());

/** So long waits who looks each second at a file of sites; that goes on as ever, or it would be all that the program does. */
const lookMs = 1000;

// Waits of the program, and no deadline of a request: servers and disks are as slow as ever.
const wait = timers.setTimeout;
timers.setTimeout = (delayMs = 0, value, options) => {
  const shortMs = delayMs > 0 ? Math.max(leastWaitMs, delayMs / time.times) : 0;
  return wait(delayMs === lookMs ? lookMs : shortMs, value, options);
};

const found = (host: string): { readonly address: string; readonly family: 4 } => {
  const address = addressOfHost(host);
  if (address !== undefined) return { address, family: 4 };
  throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND", syscall: "getaddrinfo" });
};
Object.assign(dns, {
  lookup: (host: string, _options: unknown, callback: (error: unknown, found?: unknown[]) => void): void => {
    try {
      callback(null, [found(host)]);
    } catch (error) {
      callback(error);
    }
  },
});
Object.assign(dns.promises, { lookup: async (host: string) => [found(host)] });
syncBuiltinESMExports();

// What is alive, not what waits to be collected: how large the heap is after each whole collection.
const heapFile = process.env[heapVariable];
if (heapFile !== undefined) {
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { detail } = entry as { readonly detail?: { readonly kind?: number } };
      if (detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR)
        appendFileSync(heapFile, `${process.memoryUsage().heapUsed}\n`);
    }
  }).observe({ entryTypes: ["gc"] });
}
