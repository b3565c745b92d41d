// Memories as agents write them, made up from a software vocabulary: a few words everywhere, most words seldom.
// The same seed gives the same texts.
import { type Random, seededRandom } from "./random.ts";

const list = (text: string): string[] => text.split(/\s+/).filter(Boolean);

const SERVICES = list(`billing gateway auth ledger search notifier scheduler importer catalog checkout inventory mailer reporter
  webhooks sessions profile uploads pricing audit indexer exporter router quota archive payouts fraud taxes shipping returns loyalty
  coupons reviews ratings feeds timeline presence chat calls transcoder thumbnails geocoder routing telemetry alerts flags consent
  identity directory provisioning licensing metering forecasting scraper crawler translator moderation recommender`);
const NOUNS = list(`token cache query index schema payload timeout retry session cursor migration transaction lock queue batch
  header cookie signature webhook invoice refund tenant region shard replica snapshot checksum cluster socket stream buffer parser
  validator serializer handler middleware worker lease heartbeat backoff counter histogram budget limit permission role scope secret
  certificate locale currency timezone calendar attachment thumbnail digest envelope tombstone watermark account address allocation
  annotation argument array assertion backup badge bandwidth bearer benchmark binding bitmap bookmark boundary branch breakpoint bridge
  broker bucket bundle button callback candidate canvas capacity carrier cascade category channel charset chunk circuit claim clause
  client clock closure codec collection column command comment commit component condition config conflict connection consumer container
  contract controller conversion coordinate counterpart coupon coverage credential criterion customer daemon dashboard database deadline
  debounce decimal decoder default delegate delivery delta dependency deployment descriptor dialect dictionary difference dimension
  directive directory dispatch document domain draft driver duration edge editor element endpoint engine entity entry enum epoch estimate
  event exception executor expiry exponent expression extension factory failover fallback feature federation field file filter fingerprint
  fixture flag float folder font footer foreground format formula fragment frame framework function gauge generator gesture glyph grammar
  graph grid group guard hash heap hierarchy hook host hostname icon identifier image import increment inference inheritance input instance
  integer integration interceptor interface interval iterator job journal kernel key label lambda latency layer layout leaf ledger library
  lifecycle line link list listener literal loader locator log loop macro manifest mapping marker mask matrix measure memory merge message
  metadata method metric mirror mock model module monitor mutation namespace network node notification object offset operand operator
  option order origin outbox output overflow package packet padding page pagination parameter parent partition patch path pattern peer
  pipeline pixel placeholder plugin pointer policy pool port prefix primitive priority probe process producer profile projection promise
  property protocol proxy publisher quorum range rate reader receipt record redirect reducer reference registry release renderer`);
const VERBS = list(`returns drops retries locks caches parses validates rejects leaks truncates rebuilds migrates flushes rotates
  batches throttles signs encrypts resolves expires merges splits rounds compresses replays deduplicates paginates escapes normalizes
  reorders fences drains quarantines backfills accepts aborts acquires aggregates aligns appends archives assigns attaches awaits binds
  blocks broadcasts buffers builds calls cancels captures checks claims cleans clones closes collapses collects commits compares compiles
  computes copies counts creates decodes defers deletes delivers detects disables discards dispatches emits enables encodes enqueues
  evaluates evicts expands exports extends fetches filters finds forwards freezes groups guards handles hashes hides ignores imports
  indexes infers inherits injects inserts inspects inverts joins keeps limits loads logs maps marks masks measures mounts moves mutates
  notifies observes omits opens overrides overwrites packs passes patches pauses persists polls prefetches prunes publishes pulls`);
const TOOLS =
  list(`postgres redis kafka nginx docker terraform webpack vite jest playwright sqlite grpc graphql prometheus grafana
  kubernetes helm celery rabbitmq elasticsearch protobuf openapi typescript golang rust python bun node deno ansible consul vault envoy
  istio jaeger sentry datadog mongo cassandra clickhouse duckdb airflow spark flink pulsar nats memcached haproxy caddy fastify django
  flask rails laravel spring hibernate prisma drizzle eslint biome prettier cypress selenium storybook react svelte solid angular`);
const ADJECTIVES =
  list(`stale empty duplicate nested concurrent partial expired unsigned oversized missing negative idle slow flaky
  circular orphaned malformed ambiguous implicit unbounded corrupt dangling deprecated dirty early eager exhausted explicit external faulty
  foreign frozen greedy hidden incomplete inconsistent inner invalid late lazy legacy local lossy mutable naive noisy nullable obsolete
  optional outer pending pinned private quoted random raw recursive redundant remote reserved shared silent skewed sparse spurious strict`);
const FOLDERS = list("src lib internal cmd pkg app server client workers jobs migrations scripts");
const EXTENSIONS = list("ts go py rs sql yaml tsx json");
const ERRORS = [
  ...list("ECONNRESET ETIMEDOUT ENOENT EPIPE ENOMEM EACCES EBUSY OOMKilled"),
  ...Array.from({ length: 600 }, (_, i) => `ERR${1000 + i * 7}`),
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
