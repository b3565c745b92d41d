// Which project a request reads: `project`, the directory in `cwd`, or everything; and the header that says which it was.
import { z } from "zod";
import { once } from "../../kernel/once.ts";
import type { HttpRequest } from "../../registry/http.ts";
import { boolean, text } from "../../registry/http-decode.ts";
import type { Selection } from "../operations/app.ts";

export const selectionQuery = once(() => ({
  project: z.string().optional().describe("only this project, in any case"),
  cwd: z.string().optional().describe("only the project this directory belongs to"),
  all_projects: z.string().optional().describe("`true`: every project, whatever else is said"),
}));

export const limitQuery = (fallback: number) => ({
  limit: z.string().optional().describe(`how many at most (default ${fallback})`),
});

export const readSelection = ({ query }: HttpRequest): Selection => ({
  project: text(query, "project"),
  cwd: text(query, "cwd"),
  allProjects: boolean(query, "all_projects"),
});

/** Header values are latin-1: a name that is not goes percent-encoded. */
const headerText = (value: string): string => (/^[\x20-\x7e]*$/.test(value) ? value : encodeURIComponent(value.toWellFormed()));

export const projectHeader = (project: string | undefined): Record<string, string> => ({
  "x-engram-project": project === undefined ? "*" : headerText(project),
});

/** How a search was answered. */
export const searchHeaders = (answer: {
  stage: string | undefined;
  tried: string[];
  project: string | undefined;
}): Record<string, string> => ({
  ...projectHeader(answer.project),
  "x-engram-search": `stage=${answer.stage ?? "none"}; tried=${answer.tried.join(",") || "nothing"}; project=${answer.project === undefined ? "*" : headerText(answer.project)}`,
});
