import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** What a name server says of a name: IPv4 addresses, none, that it failed, or nothing at all. */
export type NameAnswer = readonly string[] | "no-name" | "failure" | "silence";

/** A name server on a loopback address. */
export interface NameServer extends AsyncDisposable {
  /** Such as `127.0.0.1:5353`. */
  readonly address: string;
  /** Each name that was asked for its IPv4 addresses, as often as it was. */
  readonly asked: string[];
  /** Most questions that waited for an answer at once. */
  readonly mostAtOnce: () => number;
}

interface NameServerOptions {
  readonly ttlSeconds?: number;
  /** How long the answers for a name take. */
  readonly delayMs?: number | ((name: string) => number);
}

const ipv4 = 1;

/** RFC 1035, section 4: a header, the question as it came, and a record an address. */
function formatAnswer(question: Buffer, end: number, answer: NameAnswer, ttlSeconds: number): Buffer {
  const isOfIpv4 = question.readUInt16BE(end - 4) === ipv4;
  const addresses = typeof answer === "string" || !isOfIpv4 ? [] : answer;
  const head = Buffer.from(question.subarray(0, 12));
  const code = answer === "no-name" ? 3 : answer === "failure" ? 2 : 0;
  head.writeUInt16BE(0x8580 | code, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.map((address) => {
    const record = Buffer.alloc(16);
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(ipv4, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(ttlSeconds, 6);
    record.writeUInt16BE(4, 10);
    record.set(address.split(".").map(Number), 12);
    return record;
  });
  return Buffer.concat([head, question.subarray(12, end), ...records]);
}

/** Starts a name server on a free port. */
export async function listenNames(
  answerOf: (name: string) => NameAnswer,
  { ttlSeconds = 300, delayMs = 0 }: NameServerOptions = {},
): Promise<NameServer> {
  const socket = createSocket("udp4");
  const asked: string[] = [];
  let waiting = 0;
  let most = 0;
  socket.on("message", (message, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
      labels.push(message.toString("latin1", at + 1, at + 1 + length));
      at += length + 1;
    }
    const end = at + 5;
    const isOfIpv4 = message.readUInt16BE(end - 4) === ipv4;
    const name = labels.join(".").toLowerCase();
    if (isOfIpv4) {
      asked.push(name);
      waiting++;
      most = Math.max(most, waiting);
    }
    const answer = answerOf(name);
    const send = (): void => {
      if (isOfIpv4) waiting--;
      if (answer !== "silence") socket.send(formatAnswer(message, end, answer, ttlSeconds), from.port, from.address);
    };
    const waitMs = typeof delayMs === "number" ? delayMs : delayMs(name);
    if (waitMs === 0) send();
    else setTimeout(send, waitMs);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    asked,
    mostAtOnce: () => most,
    [Symbol.asyncDispose]: async () => {
      socket.close();
      await once(socket, "close");
    },
  };
}
