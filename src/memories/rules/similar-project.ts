// A project without memories whose name resembles one that has some is probably a slip. Pure.
import { editDistance } from "../../kernel/text.ts";
import type { ProjectSummary } from "../model.ts";

const SUBSTRING_LENGTH = 3;

export function similarProject(name: string, projects: ProjectSummary[]): { name: string; observations: number } | undefined {
  const others = projects.filter((project) => project.name !== name && project.observation_count > 0);
  if (name === "" || others.length === 0 || projects.some((project) => project.name === name && project.observation_count > 0))
    return undefined;
  const lower = name.toLowerCase();
  const contains = (other: string) =>
    other.length >= SUBSTRING_LENGTH && lower.length >= SUBSTRING_LENGTH && (other.includes(lower) || lower.includes(other));
  const distance = Math.min(3, Math.floor(lower.length / 2));
  const found =
    others.find((project) => project.name.toLowerCase() === lower) ??
    others.find((project) => contains(project.name.toLowerCase())) ??
    others.find((project) => editDistance(lower, project.name.toLowerCase(), distance) <= distance);
  return found && { name: found.name, observations: found.observation_count };
}
