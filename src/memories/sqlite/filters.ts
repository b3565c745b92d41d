// WHERE fragments shared by the read models: a condition and the values it binds, side by side.
import { projectSpellings } from "../../project/name.ts";
import type { Value } from "../../storage/sqlite.ts";
import type { ProjectFilter } from "../store.ts";

export class Conditions {
  private readonly parts: string[] = [];
  readonly values: Value[] = [];

  add(condition: string, ...values: Value[]): this {
    this.parts.push(condition);
    this.values.push(...values);
    return this;
  }

  /** Two spellings: rows that older programs stored under a name we would collapse stay reachable. */
  project(column: string, project: ProjectFilter): this {
    if (project === undefined) return this;
    const spellings = [...new Set(projectSpellings(project))];
    return this.add(spellings.length === 1 ? `LOWER(${column}) = ?` : `LOWER(${column}) IN (?, ?)`, ...spellings);
  }

  equals(column: string, value: Value | undefined): this {
    return value === undefined ? this : this.add(`${column} = ?`, value);
  }

  toString(): string {
    return this.parts.length === 0 ? "1" : this.parts.join(" AND ");
  }
}
