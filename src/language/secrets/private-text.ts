// `<private>` parts never reach disk, log or answer. An unclosed tag is ordinary text, as in the Go program.

const PRIVATE = /<private>[\s\S]*?<\/private>/gi;

export const redactPrivate = (text: string): string => text.replace(PRIVATE, "[REDACTED]").trim();
