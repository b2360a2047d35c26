/** A signal that fires after some turns of the event loop: what pauses once a block can be stopped at each block. @param turns - from 1 */
export function abortAfter(turns: number): AbortSignal {
  const stop = new AbortController();
  const take = (left: number): unknown => setImmediate(() => (left === 1 ? stop.abort() : take(left - 1)));
  take(turns);
  return stop.signal;
}
