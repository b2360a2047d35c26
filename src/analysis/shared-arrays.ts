/** Memory of WebAssembly that threads share. */
export interface SharedMemory {
  readonly buffer: SharedArrayBuffer;
  /** @returns the pages that there were before */
  grow(pages: number): number;
}

/**
 * What is used of WebAssembly: Node's types do not have it. The name is not declared globally, because the library's
 * declarations would then contradict `lib.dom`, which most programs that use it compile with.
 */
interface WebAssemblyParts {
  readonly Memory: new (size: {
    readonly initial: number;
    readonly maximum: number;
    readonly shared: true;
  }) => SharedMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: Readonly<Record<string, Readonly<Record<string, SharedMemory>>>>,
  ) => { readonly exports: unknown };
}

/** WebAssembly of the engine that this runs on. */
export const webAssembly: WebAssemblyParts = (globalThis as unknown as { readonly WebAssembly: WebAssemblyParts })
  .WebAssembly;

const pageBytes = 1 << 16;
const maxPages = 1 << 16;

/** Makes arrays that threads share, in one memory of WebAssembly as long as they fit into its 4 GiB. They are all 0. */
export class SharedArrays {
  #memory: SharedMemory | undefined;

  constructor() {
    try {
      this.#memory = new webAssembly.Memory({ initial: 0, maximum: maxPages, shared: true });
    } catch {
      // The system gives no address space: each array has memory of its own.
    }
  }

  /** Where all arrays lie; undefined once one did not fit. */
  get memory(): SharedMemory | undefined {
    return this.#memory;
  }

  integers(length: number): Uint32Array {
    return new Uint32Array(...this.#take(4 * length), length);
  }

  floats(length: number): Float64Array {
    return new Float64Array(...this.#take(8 * length), length);
  }

  /** @returns memory, and the place in it */
  #take(sizeBytes: number): [SharedArrayBuffer, number] {
    if (this.#memory !== undefined)
      try {
        const place = this.#memory.grow(Math.ceil(sizeBytes / pageBytes)) * pageBytes;
        return [this.#memory.buffer, place];
      } catch {
        this.#memory = undefined;
      }
    return [new SharedArrayBuffer(sizeBytes), 0];
  }
}
