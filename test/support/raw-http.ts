// HTTP as bytes on a socket, for requests that no well-behaved client sends.
import { connect } from "node:net";

export interface RawAnswer {
  status: number;
  /** Names in lower case; a repeated one keeps every value. */
  headers: Map<string, string[]>;
  body: string;
}

const PATIENCE_MS = 10_000;

/** Undoes `transfer-encoding: chunked`; what comes after a broken chunk is dropped. */
function joinChunks(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf("\r\n", at);
    const size = end < 0 ? 0 : Number.parseInt(bytes.toString("latin1", at, end), 16);
    if (!(size > 0)) break;
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
  return Buffer.concat(parts);
}

function parse(bytes: Buffer): RawAnswer {
  const end = bytes.indexOf("\r\n\r\n");
  const [first = "", ...lines] = bytes.toString("latin1", 0, end < 0 ? bytes.length : end).split("\r\n");
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  const rest = end < 0 ? Buffer.alloc(0) : bytes.subarray(end + 4);
  const body = headers.get("transfer-encoding")?.includes("chunked") ? joinChunks(rest) : rest;
  return { status: Number(first.split(" ")[1] ?? 0), headers, body: body.toString("utf8") };
}

/** Sends the parts one by one until an answer begins, then reads until the server closes: ask it to with `connection: close`. */
export function sendRaw(port: number, ...parts: (string | Uint8Array)[]): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = connect(port, "127.0.0.1", async () => {
      for (const part of parts) {
        if (received.length > 0 || socket.destroyed) return;
        await new Promise<void>((next) => socket.write(part, () => next()));
      }
    });
    const finish = () => {
      socket.destroy();
      resolve(parse(Buffer.concat(received)));
    };
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error("no answer in time")));
    socket.on("data", (chunk: Buffer) => received.push(chunk));
    socket.on("end", finish);
    // A server that refuses a large body may close while we still write: what it said before counts.
    socket.on("error", (error) => (received.length > 0 ? finish() : reject(error)));
    socket.on("close", () => (received.length > 0 ? finish() : reject(new Error("closed without an answer"))));
  });
}

export interface RawRequest {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** One request with exactly these headers (and `host`, `content-length`, `connection` unless given). */
export function request(port: number, { method = "GET", path, headers = {}, body }: RawRequest): Promise<RawAnswer> {
  const all: Record<string, string> = {
    host: `127.0.0.1:${port}`,
    connection: "close",
    ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)), "content-type": "application/json" }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return sendRaw(port, `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`, ...(body === undefined ? [] : [body]));
}

/** A body in chunks: nobody can know its length beforehand. */
export function requestInChunks(
  port: number,
  method: string,
  path: string,
  pieces: Iterable<string>,
  ends = true,
): Promise<RawAnswer> {
  const parts: string[] = [];
  for (const piece of pieces) parts.push(`${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`);
  return sendRaw(
    port,
    `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
    ...parts,
    ...(ends ? ["0\r\n\r\n"] : []),
  );
}
