// The context text that hooks paste into an agent's prompt: fixed headings, cut lines, a byte budget. Pure.
import { byteLength, clip, cutBytes } from "../../kernel/text.ts";
import type { Observation, Prompt, Session, SessionSummary } from "../model.ts";

const SUMMARY_LENGTH = 200;
const PROMPT_LENGTH = 200;
const CONTENT_LENGTH = 300;
const CUT_MARK = "\n[truncated]\n";

export interface ContextParts {
  sessions: SessionSummary[];
  prompts: Prompt[];
  pinned: Observation[];
  observations: Observation[];
}

export interface ContextStyle {
  compact: boolean;
  /** For people: stored UTC to their zone. */
  time: (stamp: string) => string;
}

const section = (heading: string, lines: string[]): string =>
  lines.length === 0 ? "" : `### ${heading}\n${lines.map((line) => `- ${line}\n`).join("")}\n`;

const observationLine = (o: Observation, { compact }: ContextStyle): string =>
  `[${o.type}] **${o.title}**${compact ? "" : `: ${clip(o.content, CONTENT_LENGTH)}`}`;

const sessionLine = (name: string, s: Pick<SessionSummary, "started_at" | "summary">, style: ContextStyle): string =>
  `**${name}** (${style.time(s.started_at)})${s.summary ? `: ${clip(s.summary, SUMMARY_LENGTH)}` : ""}`;

const promptLine = (p: Prompt, style: ContextStyle): string => `${style.time(p.created_at)}: ${clip(p.content, PROMPT_LENGTH)}`;

function assemble(title: string, first: string, parts: Omit<ContextParts, "sessions">, style: ContextStyle): string {
  const observations = (rows: Observation[]) => rows.map((o) => observationLine(o, style));
  const body = [
    first,
    section(
      "Recent User Prompts",
      parts.prompts.map((p) => promptLine(p, style)),
    ),
    section("Pinned", observations(parts.pinned)),
    section("Recent Observations", observations(parts.observations)),
  ].join("");
  return body === "" ? "" : `## ${title}\n\n${body}`;
}

export function renderContext(parts: ContextParts, style: ContextStyle): string {
  const lines = parts.sessions.map((s) => `${sessionLine(s.project, s, style)} [${s.observation_count} observations]`);
  return assemble("Memory from Previous Sessions", section("Recent Sessions", lines), parts, style);
}

export function renderSessionContext(session: Session, parts: Omit<ContextParts, "sessions">, style: ContextStyle): string {
  return assemble("Memory from This Session", section("Session", [sessionLine(session.id, session, style)]), parts, style);
}

/** At most `limit` bytes, the mark included. */
export function withinBudget(text: string, limit: number | undefined): string {
  if (limit === undefined || byteLength(text) <= limit) return text;
  const room = limit - byteLength(CUT_MARK);
  return room <= 0 ? cutBytes(text, limit) : cutBytes(text, room) + CUT_MARK;
}
