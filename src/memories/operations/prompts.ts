// Prompts: what the user asked, saved without private parts.
import { z } from "zod";
import { toStamp } from "../../kernel/clock.ts";
import { conflict, invalid, notFound } from "../../kernel/errors.ts";
import { syncId } from "../../kernel/ids.ts";
import { normalizeProjectName } from "../../project/name.ts";
import { operation } from "../../registry/operation.ts";
import type { Prompt } from "../model.ts";
import { prepareText } from "../rules/observation.ts";
import { requireSession } from "../rules/session.ts";
import { chooseProject, type MemoriesApp, positiveOr, selection } from "./app.ts";

export const savePrompt = operation({
  name: "memories.prompts.save",
  kind: "write",
  summary: "Save a prompt; a repeated inbox id is answered with the first one's id.",
  input: () =>
    z.object({
      session_id: z.string(),
      content: z.string(),
      project: z.string().optional(),
      source_inbox_id: z.string().optional(),
    }),
  run(app: Pick<MemoriesApp, "memories" | "clock" | "ids">, input): { id: number } {
    const content = prepareText(input.content).text;
    if (content === "") throw invalid("prompt content is required");
    const project = normalizeProjectName(input.project ?? "") || null;
    const outcome = app.memories.prompts.save(
      {
        sync_id: syncId(app.ids, "prompt"),
        session_id: input.session_id,
        content,
        project,
        source_inbox_id: input.source_inbox_id || null,
        now: toStamp(app.clock.now()),
      },
      (session) => void requireSession(session, project),
    );
    if (outcome.kind === "deleted")
      throw conflict("this prompt was deleted", { code: "prompt_deleted", source_inbox_id: input.source_inbox_id });
    return { id: outcome.id };
  },
});

export const recentPrompts = operation({
  name: "memories.prompts.recent",
  kind: "read",
  summary: "Prompts, newest first.",
  input: () => z.object({ ...selection(), limit: z.number().int().optional() }),
  async run(app: MemoriesApp, input): Promise<{ prompts: Prompt[]; project: string | undefined }> {
    const project = await chooseProject(app, input);
    return { prompts: app.memories.prompts.recent({ project, limit: positiveOr(input.limit, 20) }), project };
  },
});

export const deletePrompt = operation({
  name: "memories.prompts.delete",
  kind: "admin",
  summary: "Delete a prompt for good.",
  input: () => z.object({ id: z.number().int() }),
  run(app: Pick<MemoriesApp, "memories" | "clock">, { id }): { id: number } {
    if (!app.memories.prompts.delete(id, toStamp(app.clock.now()))) throw notFound(`prompt not found: prompt #${id}`);
    return { id };
  },
});
