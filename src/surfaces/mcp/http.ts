// MCP over streamable HTTP: one server per request, nothing kept between them, every revision from one handler.
import { createMcpHandler, type Server } from "@modelcontextprotocol/server";

export function serveRequests(factory: () => Server): (request: Request) => Promise<Response> {
  const handler = createMcpHandler(factory);
  return (request) => handler.fetch(request);
}
