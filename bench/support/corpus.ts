// Memories as agents write them, made up from a software vocabulary: a few words everywhere, most words seldom.
// The same seed gives the same texts.
import { type Random, seededRandom } from "./random.ts";

const list = (text: string): string[] => text.split(/\s+/).filter(Boolean);

const SERVICES = list(`billing gateway auth ledger search notifier scheduler importer catalog checkout inventory mailer reporter
  webhook sessions profile uploads pricing audit indexer exporter router quota archive`);
const NOUNS = list(`token cache query index schema payload timeout retry session cursor migration transaction lock queue batch
  header cookie signature webhook invoice refund tenant region shard replica snapshot checksum cluster socket stream buffer parser
  router validator serializer handler middleware worker scheduler lease heartbeat backoff counter histogram budget limit permission
  role scope secret certificate locale currency timezone calendar attachment thumbnail digest envelope tombstone watermark`);
const VERBS = list(`returns drops retries locks caches parses validates rejects leaks truncates rebuilds migrates flushes rotates
  batches throttles signs encrypts resolves expires merges splits rounds compresses replays deduplicates paginates escapes normalizes
  reorders fences drains quarantines backfills`);
const TOOLS =
  list(`postgres redis kafka nginx docker terraform webpack vite jest playwright sqlite grpc graphql prometheus grafana
  kubernetes helm celery rabbitmq elasticsearch protobuf openapi typescript golang rust python bun node deno`);
const ADJECTIVES =
  list(`stale empty duplicate nested concurrent partial expired unsigned oversized missing negative idle slow flaky
  circular orphaned malformed ambiguous implicit unbounded`);
const FOLDERS = list("src lib internal cmd pkg app server client workers jobs migrations scripts");
const EXTENSIONS = list("ts go py rs sql yaml tsx json");
const ERRORS = [
  ...list("ECONNRESET ETIMEDOUT ENOENT EPIPE ENOMEM EACCES SQLITE_BUSY OOMKilled"),
  ...Array.from({ length: 400 }, (_, i) => `ERR${1000 + i * 7}`),
];
const TYPES = list("discovery bugfix decision pattern config architecture preference learning manual");
const PROJECTS = list("storefront payments-api data-platform mobile-app infra docs-site");

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

export interface Memory {
  type: string;
  title: string;
  content: string;
  topic_key: string | undefined;
  scope: string | undefined;
}

export interface Corpus {
  random: Random;
  memory(): Memory;
  prompt(): string;
  question(): string;
  project(): string;
}

export function corpus(seed: number): Corpus {
  const random = seededRandom(seed);
  const noun = () => random.skewed(NOUNS);
  const verb = () => random.skewed(VERBS);
  const service = () => random.skewed(SERVICES);
  const tool = () => random.skewed(TOOLS);
  const error = () => random.skewed(ERRORS);
  const adjective = () => random.skewed(ADJECTIVES);
  const identifier = () => `${verb()}${capital(noun())}${capital(noun())}`;
  const file = () => `${random.skewed(FOLDERS)}/${service()}/${noun()}-${noun()}.${random.skewed(EXTENSIONS)}`;

  const facts: (() => string)[] = [
    () => `The ${service()} service ${verb()} the ${noun()} when a ${adjective()} ${noun()} arrives from ${tool()}.`,
    () => `${identifier()} in ${file()} ${verb()} every ${adjective()} ${noun()} and then raises ${error()}.`,
    () =>
      `${tool()} ${verb()} its ${noun()} after ${random.below(900) + 1} ms, so the ${noun()} of ${service()} stays ${adjective()}.`,
    () => `Call ${identifier()} before ${identifier()}, otherwise ${error()} appears in the ${service()} log.`,
    () => `Measured ${random.below(5000)} requests: ${random.below(100)} percent hit the ${adjective()} ${noun()} path.`,
    () => `The ${noun()} ${noun()} moved to ${file()} so that ${service()} and ${service()} share one ${noun()}.`,
  ];
  const titles: (() => string)[] = [
    () => `Fixed ${adjective()} ${noun()} in ${service()}: ${error()}`,
    () => `${capital(service())} ${verb()} the ${noun()} through ${tool()}`,
    () => `${identifier()} ${verb()} ${adjective()} ${noun()}`,
    () => `Chose ${tool()} for the ${noun()} ${noun()} of ${service()}`,
  ];
  return {
    random,
    memory() {
      const sentence = () => random.pick(facts)();
      // The commit makes each text unlike any other, so that no save counts as a duplicate.
      return {
        type: random.skewed(TYPES),
        title: random.pick(titles)(),
        content: `**What**: ${sentence()}\n**Why**: ${sentence()}\n**Where**: ${file()}, commit ${random.hex(10)}\n**Learned**: ${sentence()}`,
        topic_key: random.chance(0.15) ? `${service()}/${noun()}-${noun()}-${random.hex(4)}` : undefined,
        scope: random.chance(0.05) ? "personal" : undefined,
      };
    },
    prompt: () => `Please look at ${file()}: ${facts[0]?.()} Can you fix ${error()} and add a test for ${identifier()}?`,
    question: () => `How did we stop ${service()} from failing with ${error()} when the ${noun()} ${noun()} is ${adjective()}?`,
    project: () => random.skewed(PROJECTS),
  };
}
