// What was saved while the project was unclear, and the token that lets the same agent move it once the user has chosen.
import type { Clock } from "../../kernel/clock.ts";
import type { Ids } from "../../kernel/ids.ts";

export const TOKEN_SECONDS = 300;

interface Pending {
  candidates: string[];
  observations: number[];
  expires: number;
  /** The first use decides: a token moves rows to one project, not around. */
  chosen?: string;
}

export interface Recoveries {
  issue(candidates: string[], observation: number): string;
  find(token: string): Pending | undefined;
}

/** Kept in memory: a token is worth nothing to another process or after five minutes. */
export function keepRecoveries(clock: Clock, ids: Ids): Recoveries {
  const pending = new Map<string, Pending>();
  return {
    issue(candidates, observation) {
      const now = clock.now().getTime();
      for (const [token, { expires }] of pending) if (expires < now) pending.delete(token);
      const token = ids.hex(16);
      pending.set(token, { candidates, observations: [observation], expires: now + TOKEN_SECONDS * 1000 });
      return token;
    },
    find(token) {
      const found = pending.get(token);
      return found && found.expires >= clock.now().getTime() ? found : undefined;
    },
  };
}
