declare global {
  // What is used of it: Node's types do not have it.
  namespace WebAssembly {
    class Memory {
      readonly buffer: SharedArrayBuffer;
      constructor(size: { readonly initial: number; readonly maximum: number; readonly shared: true });
      grow(pages: number): number;
    }
    class Module {
      constructor(bytes: Uint8Array);
    }
    class Instance {
      readonly exports: unknown;
      constructor(module: Module, imports: Readonly<Record<string, Readonly<Record<string, Memory>>>>);
    }
  }
}

const pageBytes = 1 << 16;
const maxPages = 1 << 16;

/** Makes arrays that threads share, in one memory of WebAssembly as long as they fit into its 4 GiB. They are all 0. */
export class SharedArrays {
  #memory: WebAssembly.Memory | undefined;

  constructor() {
    try {
      this.#memory = new WebAssembly.Memory({ initial: 0, maximum: maxPages, shared: true });
    } catch {
      // The system gives no address space: each array has memory of its own.
    }
  }

  /** Where all arrays lie; undefined once one did not fit. */
  get memory(): WebAssembly.Memory | undefined {
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
