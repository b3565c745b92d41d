// Who may talk to a loopback server: nobody through a foreign name (DNS rebinding), no page of another origin,
// and from a browser no write without the token.
import { timingSafeEqual } from "node:crypto";
import { EngramError } from "../../kernel/errors.ts";
import type { AnyHttpBinding } from "../../registry/http.ts";

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]", "::1"]);

const hostName = (host: string): string => host.replace(/:\d+$/, "").toLowerCase();

const forbidden = (message: string) => new EngramError("forbidden", message);

export interface Guard {
  /** Read per request: a token may be set or taken away while the server runs. */
  token(): string | undefined;
  /** Requests through a socket carry no meaningful host. */
  viaSocket: boolean;
}

export function checkCaller(headers: Headers, writes: boolean, guard: Guard): void {
  const host = headers.get("host") ?? "";
  if (!guard.viaSocket && !LOOPBACK.has(hostName(host))) {
    throw forbidden(`host ${JSON.stringify(host)} is refused: Engram answers on 127.0.0.1 and localhost only`);
  }
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  if (origin !== null && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
    throw forbidden("a page of another origin may not use this server");
  if (site !== null && site !== "same-origin" && site !== "none")
    throw forbidden("a page of another site may not use this server");
  if (writes && (origin !== null || site === "same-origin") && !hasToken(headers, guard.token())) {
    throw forbidden("a browser may write only with the token of ENGRAM_HTTP_TOKEN");
  }
}

function bearer(headers: Headers): string | undefined {
  const header = headers.get("authorization") ?? "";
  return header.startsWith("Bearer ") ? header.slice("Bearer ".length).trim() : undefined;
}

function equal(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}

const hasToken = (headers: Headers, token: string | undefined): boolean => {
  const given = bearer(headers);
  return token !== undefined && given !== undefined && equal(given, token);
};

export function checkToken(headers: Headers, auth: AnyHttpBinding["auth"], guard: Guard): void {
  if (auth === undefined) return;
  const token = guard.token();
  if (token === undefined) {
    if (auth === "token_required") throw new EngramError("unavailable", "server authorization is not configured");
    return;
  }
  if (hasToken(headers, token)) return;
  throw new EngramError("unauthorized", bearer(headers) === undefined ? "authorization required" : "invalid token");
}
