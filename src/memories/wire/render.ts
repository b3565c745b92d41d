// The room's texts for people: layouts of the Go program, which scripts and habits rely on.
import { displayTime } from "../../kernel/clock.ts";
import { clip, quote } from "../../kernel/text.ts";
import type { Observation, ProjectSummary, Stats, Timeline } from "../model.ts";
import type { SearchAnswer } from "../operations/search.ts";
import type { DoctorReport } from "../rules/diagnosis.ts";

const PREVIEW = 300;

export function renderHits(answer: SearchAnswer, query: string, zone: string | undefined): string {
  if (answer.hits.length === 0) return `No memories found for: ${quote(query)}\n`;
  const hit = (o: Observation, index: number) =>
    `[${index + 1}] #${o.id} (${o.type}) — ${o.title}\n    ${clip(o.content, PREVIEW)}\n    ${displayTime(o.created_at, zone)}${o.project ? ` | project: ${o.project}` : ""} | scope: ${o.scope}\n\n`;
  return `Found ${answer.hits.length} memories:\n\n${answer.hits.map(hit).join("")}`;
}

const STAGE_WORDS = {
  topic_key: "the topic key",
  all: "all words",
  any: "any of the words",
  prefix: "beginnings of words",
  part: "parts of words",
} as const;

/** What was tried, for whoever wonders why this was the answer. */
export function explainSearch({ stage, tried, project }: SearchAnswer): string {
  const where = project === undefined ? "every project" : `project ${JSON.stringify(project)}`;
  const words = tried.map((name) => STAGE_WORDS[name]).join(", then ");
  if (stage === undefined) return `searched ${where} for ${words || "nothing searchable"}; --all searches every project`;
  return `matched ${STAGE_WORDS[stage]} in ${where}`;
}

export function renderTimeline(t: Timeline, zone: string | undefined): string {
  const line = (o: Observation) => `  #${o.id} [${o.type}] ${o.title} — ${clip(o.content, 150)}\n`;
  const session = t.session
    ? `Session: ${t.session.project} (${t.session.started_at})${t.session.summary ? ` — ${clip(t.session.summary, 100)}` : ""}\n`
    : "";
  const before = t.before.length === 0 ? "" : `─── Before ───\n${t.before.map(line).join("")}\n`;
  const focus = `>>> #${t.focus.id} [${t.focus.type}] ${t.focus.title} <<<\n    ${clip(t.focus.content, 500)}\n    ${displayTime(t.focus.created_at, zone)}\n\n`;
  const after = t.after.length === 0 ? "" : `─── After ───\n${t.after.map(line).join("")}`;
  return `${session}Total observations in session: ${t.total}\n\n${before}${focus}${after}`;
}

export const renderStats = (stats: Stats, database: string): string =>
  `Engram Memory Stats
  Sessions:     ${stats.total_sessions}
  Observations: ${stats.total_observations}
  Prompts:      ${stats.total_prompts}
  Projects:     ${stats.projects.join(", ") || "none yet"}
  Database:     ${database}
`;

export const padName = (name: string): string => name.padEnd(30);
export const padCount = (count: number, width = 3): string => String(count).padStart(width);

export function renderProjects(projects: ProjectSummary[]): string {
  if (projects.length === 0) return "No projects found.\n";
  const line = (p: ProjectSummary) => {
    const sessions = (p.session_count === 1 ? "session" : "sessions").padEnd(9);
    const prompts = p.prompt_count === 1 ? "prompt" : "prompts";
    return `  ${padName(p.name)} ${padCount(p.observation_count, 4)} obs   ${padCount(p.session_count)} ${sessions}  ${padCount(p.prompt_count)} ${prompts}\n`;
  };
  return `Projects (${projects.length}):\n${projects.map(line).join("")}`;
}

export function renderDoctor(report: DoctorReport): string {
  const mark = { ok: "✓", warning: "!", blocked: "✗", error: "✗" } as const;
  const lines = report.checks.flatMap((check) => [
    `  ${mark[check.result]} ${check.check_id}: ${check.message}`,
    ...(check.findings ?? []).map((finding) => `      - ${finding.message}`),
    ...(check.result === "ok" ? [] : [`      next: ${check.safe_next_step}`]),
  ]);
  return `Engram Doctor: ${report.status}\n${report.project === undefined ? "" : `  Project: ${report.project}\n`}${lines.join("\n")}\n`;
}
