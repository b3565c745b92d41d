// The release, from the one place that npm also reads.
import manifest from "../../package.json" with { type: "json" };

export const VERSION: string = manifest.version;
