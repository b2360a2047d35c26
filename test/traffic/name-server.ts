import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** What a name has: texts by type of record, `PTR`, `A` or `AAAA`. */
type Zone = Readonly<Record<string, ReadonlyArray<readonly ["PTR" | "A" | "AAAA", string]>>>;

const types = { PTR: 12, A: 1, AAAA: 28 } as const;
const serverFailure = 2;
const noSuchName = 3;

/** A name server on loopback, RFC 1035, for one zone; names that begin with `broken` give a failure. Dispose of it. */
export class NameServer {
  readonly #socket: Socket = createSocket("udp4");
  readonly #zone: Zone;

  /** @param slow - the name that is answered after 1.5 s */
  constructor(zone: Zone, slow?: string) {
    this.#zone = zone;
    this.#socket.on("message", (query, { port, address }) => {
      const { name, answer } = this.#answer(query);
      setTimeout(() => this.#socket.send(answer, port, address), name === slow ? 1500 : 0);
    });
  }

  /** @returns `ADDRESS:PORT` */
  async listen(): Promise<string> {
    this.#socket.bind(0, "127.0.0.1");
    await once(this.#socket, "listening");
    return `127.0.0.1:${(this.#socket.address() as AddressInfo).port}`;
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }

  #answer(query: Buffer): { readonly name: string; readonly answer: Buffer } {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] as number; length > 0; length = query[at] as number) {
      labels.push(query.toString("latin1", at + 1, at + 1 + length));
      at += 1 + length;
    }
    const question = query.subarray(12, at + 5);
    const type = query.readUInt16BE(at + 1);
    const name = labels.join(".").toLowerCase();
    const records = (this.#zone[name] ?? []).filter(([kind]) => types[kind] === type);
    const code = name.startsWith("9.") ? serverFailure : this.#zone[name] === undefined ? noSuchName : 0;
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(0x8180 | code, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    const answers = records.map(([kind, text]) => {
      const data = encode(kind, text);
      const record = Buffer.alloc(12);
      record.writeUInt16BE(0xc00c, 0);
      record.writeUInt16BE(types[kind], 2);
      record.writeUInt16BE(1, 4);
      record.writeUInt16BE(data.length, 10);
      return Buffer.concat([record, data]);
    });
    return { name, answer: Buffer.concat([head, question, ...answers]) };
  }
}

function encode(kind: keyof typeof types, text: string): Buffer {
  if (kind === "A") return Buffer.from(text.split(".").map(Number));
  if (kind === "AAAA")
    return Buffer.from(
      text
        .split(":")
        .map((group) => group.padStart(4, "0"))
        .join(""),
      "hex",
    );
  const labels = text.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}
