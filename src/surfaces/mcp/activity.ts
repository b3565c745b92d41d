// What one process saw of its agent, by session: calls, saves, and how long ago the last save was.
import type { Clock } from "../../kernel/clock.ts";
import type { McpActivity } from "../../registry/mcp.ts";

const QUIET_MINUTES = 10;
const BUSY_CALLS = 5;

export function watchActivity(clock: Clock): McpActivity {
  const sessions = new Map<string, { calls: number; saves: number }>();
  const total = { calls: 0, saves: 0 };
  let quietSince = clock.now().getTime();
  const of = (session: string) => {
    const known = sessions.get(session) ?? { calls: 0, saves: 0 };
    sessions.set(session, known);
    return known;
  };
  return {
    called(session) {
      of(session).calls++;
      total.calls++;
    },
    saved(session) {
      of(session).saves++;
      total.saves++;
      quietSince = clock.now().getTime();
    },
    of,
    quietMinutes() {
      const minutes = Math.floor((clock.now().getTime() - quietSince) / 60_000);
      return minutes >= QUIET_MINUTES && (total.saves > 0 || total.calls > BUSY_CALLS) ? minutes : undefined;
    },
  };
}
