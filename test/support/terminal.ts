// A command on a real (pseudo) terminal, as a person sees it.
import { type Place, PROGRAM } from "./process.ts";

export const NO_TERMINAL = process.platform === "win32" ? "no pseudo-terminal here" : undefined;

/** Everything it wrote, both streams mixed; `until` ends it early by an interrupt, as Ctrl+C would. */
export async function onTerminal(
  place: Place,
  args: string[],
  options: { env?: Record<string, string>; until?: string } = {},
): Promise<{ code: number | null; text: string }> {
  const decoder = new TextDecoder();
  let text = "";
  const child = Bun.spawn([PROGRAM, ...args], {
    cwd: place.work,
    env: place.env({ TERM: "xterm-256color", ...options.env }),
    terminal: {
      cols: 120,
      rows: 40,
      data(_, bytes) {
        text += decoder.decode(bytes, { stream: true });
        if (options.until !== undefined && text.includes(options.until)) child.kill("SIGINT");
      },
    },
  });
  place.adopt(child.pid);
  await child.exited;
  child.terminal?.close();
  return { code: child.exitCode, text };
}
