// An agent at work in a directory: calls operations as the tools do, on a store that the test owns.
import { mkdirSync } from "node:fs";
import type { App } from "../../src/app/open.ts";
import type { AgentApp } from "../../src/memories/operations/agent-project.ts";
import { keepRecoveries } from "../../src/memories/operations/recovery.ts";
import { invoke, type Operation } from "../../src/registry/operation.ts";
import type { TestMemories } from "./memories.ts";

export interface Agent {
  app: App & AgentApp;
  call<Input extends object, Output>(op: Operation<never, Input, Output>, input?: Partial<Input>): Promise<Output>;
}

export function agentIn(room: TestMemories, cwd: string): Agent {
  const app = Object.defineProperties(Object.create(room.app) as App & AgentApp, {
    cwd: { value: cwd },
    recoveries: { value: keepRecoveries(room.clock, room.app.ids) },
  });
  return {
    app,
    call: <Input extends object, Output>(op: Operation<never, Input, Output>, input: Partial<Input> = {}) =>
      invoke(op as Operation<object, Input, Output>, app, input as Input),
  };
}

/** A folder with repositories in it: none of them is its project. */
export function folderOfRepositories(room: TestMemories, name: string, repositories = ["api", "web"]): string {
  for (const repository of repositories) mkdirSync(room.path(name, repository, ".git"), { recursive: true });
  return room.path(name);
}
