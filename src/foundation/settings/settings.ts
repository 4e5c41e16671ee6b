import {
  type Check,
  text,
  longText,
  integer,
  flag,
  word,
  url,
  origin,
  postgresUrl,
  redisUrl,
  list,
  optional,
  mailbox,
  addressRange,
  keyRing,
  headerPairs,
  workers,
} from './setting-checks.ts'

export type Setting<T> = { check: Check<T>; default: T; secret: boolean; meaning: string; alias?: string }

const setting = <T>(
  check: Check<T>,
  fallback: T,
  meaning: string,
  more: { secret?: boolean; alias?: string } = {},
): Setting<T> => ({
  check,
  default: fallback,
  secret: more.secret ?? false,
  meaning,
  ...(more.alias !== undefined && { alias: more.alias }),
})

const databaseOf = (service: string) =>
  setting(
    optional(postgresUrl),
    undefined,
    `database of ${service}, where it has its own; default: DATABASE_URL`,
    { secret: true },
  )

/** Every setting of Lyceum: the only place that names them. */
export const settings = {
  HOST: setting(
    text,
    '127.0.0.1',
    'address the three services listen on; one that is not loopback needs SSO_URL and LEARNING_URL',
  ),
  SSO_PORT: setting(integer(0, 65_535), 8064, 'port of the single sign-on service; 0 takes any free one'),
  LEARNING_PORT: setting(integer(0, 65_535), 8065, 'port of the learning service; 0 takes any free one'),
  COLLECTIONS_PORT: setting(
    integer(0, 65_535),
    8066,
    'port of the collections service; 0 takes any free one',
  ),
  WORKERS: setting(
    workers,
    1,
    'processes that share the three ports; `auto` is one for each core, at most 16',
  ),
  DRAIN_SECONDS: setting(
    integer(0, 300),
    0,
    'how long a stopping process goes on answering while /readyz says 503, so that balancers notice',
  ),
  NODE_ID: setting(
    optional(text),
    undefined,
    'name of this process in the log and, for operators, in /status; default: host name and process id, in /status only',
  ),
  DATA_DIR: setting(
    text,
    './data',
    'folder of the embedded database, the keys and first-run.json; where the default is closed to the user that runs the database: /var/lib/lyceum',
  ),
  DATABASE_URL: setting(
    optional(postgresUrl),
    undefined,
    'PostgreSQL 15 or later to use instead of the embedded one; of several hosts, `postgres://user:password@a,b,c/lyceum`, the one that is primary',
    { secret: true },
  ),
  SSO_DATABASE_URL: databaseOf('sso'),
  LEARNING_DATABASE_URL: databaseOf('learning'),
  COLLECTIONS_DATABASE_URL: databaseOf('collections'),
  DATABASE_REPLICA_URL: setting(
    optional(postgresUrl),
    undefined,
    'streaming replica of DATABASE_URL that reads lists, searches and statistics',
    { secret: true },
  ),
  DATABASE_PREPARE: setting(
    flag,
    true,
    'off behind PgBouncer in transaction mode, whose settings then bound the statements',
  ),
  REDIS_URL: setting(
    optional(redisUrl),
    undefined,
    'Redis or Valkey that shares the rate limits between processes; through Sentinels: `redis+sentinel://a:26379,b:26379/NAME`',
    { secret: true },
  ),
  MASTER_KEY: setting(
    optional(keyRing),
    undefined,
    'ring of keys that seal secrets at rest, `id:base64` of 32 bytes, separated by commas, the first one seals; required with DATABASE_URL',
    { secret: true },
  ),
  BACKUP_PASSPHRASE: setting(
    optional(longText(12)),
    undefined,
    'passphrase that seals backups and opens them, at least 12 characters; only `backup`, `restore` and `verify` need it',
    { secret: true },
  ),
  ADMIN_EMAIL: setting(text, 'admin@lyceum.local', 'e-mail address of the admin made on the first start'),
  ADMIN_PASSWORD: setting(optional(text), undefined, 'password of that admin; without it one is made', {
    secret: true,
  }),
  SSO_URL: setting(
    optional(url('http:', 'https:')),
    undefined,
    'public address of the single sign-on service, the issuer of its tokens and the host it answers under; default on loopback: where it listens',
  ),
  COOKIE_DOMAIN: setting(
    optional(text),
    undefined,
    'Domain of the access_token cookie when the services have different hosts',
  ),
  TRUSTED_PROXIES: setting(
    list(addressRange),
    [],
    'CIDR ranges of proxies whose X-Forwarded-For is believed; needs SSO_URL and LEARNING_URL',
  ),
  RATE_LIMIT_DEFAULT: setting(
    integer(0, 1_000_000_000),
    100,
    'learning: requests per client and minute; 0 is no limit',
    { alias: 'rate_limit_default' },
  ),
  SSO_RATE_LIMIT_SITE: setting(
    integer(0, 1_000_000_000),
    60,
    'sso: requests per site key, and per user, and minute; 0 is no limit',
  ),
  SSO_RATE_LIMIT_AUTH: setting(
    integer(0, 1_000_000_000),
    10,
    'sso: sign-in requests per address and minute; 0 is no limit',
  ),
  SSO_IMPORT_QUOTA: setting(
    integer(0, 100_000_000),
    1_000,
    'sso: new people a day that the imports of a tenant may make, where nobody but its founder answers for it; 0 is no limit',
  ),
  SSO_WEBHOOK_RATE: setting(
    integer(0, 10_000),
    50,
    'sso: webhook requests per second to one host, of all sites together; 0 is no limit',
  ),
  SSO_RATE_LIMIT_PAGES: setting(
    integer(0, 1_000_000_000),
    300,
    'sso: forms of the hosted pages per address and minute, all browsers behind it together, and twice as many page views and federation requests; 0 is no limit, as is SSO_RATE_LIMIT_AUTH=0',
  ),
  COLLECTIONS_RATE_LIMIT: setting(
    integer(0, 1_000_000_000),
    100,
    'collections: requests per user and minute; 0 is no limit',
  ),
  COLLECTIONS_TYPES: setting(
    list(text),
    ['general', 'folder', 'project', 'course', 'library', 'archive'],
    'what `type` of a collection may be; the first is the default, and what is stored stays',
  ),
  COLLECTIONS_INVITE_ROLE: setting(
    word('admin', 'editor'),
    'admin',
    'who may invite members: admins of the collection, or its editors too, never above their own role',
  ),
  COLLECTIONS_ALLOWED_SITES: setting(
    list(text),
    [],
    'site codes whose access tokens the collections service accepts; empty: every site of this installation',
  ),
  COLLECTIONS_CORS_ORIGINS: setting(
    list(origin),
    [],
    'origins whose browser pages may call the collections service, `https://app.example.org`; empty: none',
  ),
  COLLECTIONS_IMPORT_WORKERS: setting(
    integer(1, 4),
    2,
    'collections: workbooks that one process brings in at the same time, each in a thread of up to 256 MB',
  ),
  LEARNING_AUTHORING: setting(
    word('editors', 'any_user'),
    'editors',
    'who may change a channel: its editors, or every user of the tenant',
  ),
  LEARNING_URL: setting(
    optional(url('http:', 'https:')),
    undefined,
    'public address of the learning service and the host it answers under; default on loopback: the host of each request',
  ),
  COLLECTIONS_URL: setting(
    optional(url('http:', 'https:')),
    undefined,
    'public address of the collections service, to which hosted sign-in may return, and the host it answers under; default: the hosts of SSO_URL and LEARNING_URL',
  ),
  SHED_IN_FLIGHT: setting(
    integer(0, 1_000_000),
    500,
    'requests in progress from which on one process answers 503 to the clients with the most of them, while its event loop is late; sign-in and health only at ten times as many; 0: never',
  ),
  SHED_DELAY_MS: setting(
    integer(1, 60_000),
    500,
    'how late the event loop must typically be, in milliseconds, before requests are refused',
  ),
  METRICS_TOKEN: setting(
    optional(text),
    undefined,
    'Bearer token that opens /metrics from other hosts; without it only programs on this machine may read, and no proxy',
    { secret: true },
  ),
  SITE_REGISTRATION: setting(
    optional(word('open', 'approval', 'operators')),
    undefined,
    'who may register production sites: `open` everybody, `approval` everybody and an operator approves, `operators` they alone; default: open on loopback, approval elsewhere',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    optional(url('http:', 'https:')),
    undefined,
    'OpenTelemetry collector that takes traces by OTLP over HTTP, `http://localhost:4318`; without it traces are off',
  ),
  OTEL_TRACES_EXPORTER: setting(
    optional(word('otlp', 'none')),
    undefined,
    'traces: `otlp` switches them on, `none` off; default: on where OTEL_EXPORTER_OTLP_ENDPOINT is set',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: setting(
    optional(headerPairs),
    undefined,
    'headers for that collector, `name=value` separated by commas',
    { secret: true },
  ),
  OTEL_SERVICE_NAME: setting(text, 'lyceum', 'name of this installation in traces'),
  OUTBOUND_ALLOW: setting(
    list(text),
    [],
    'hosts or CIDR ranges of in-house partners that outgoing calls may reach although they are not public',
  ),
  LLM_BASE_URL: setting(
    optional(url('http:', 'https:')),
    undefined,
    'model server for the innovation agents, OpenAI-compatible',
  ),
  LLM_MODEL: setting(optional(text), undefined, 'model the agents ask for'),
  LLM_API_KEY: setting(optional(text), undefined, 'key of the model server', { secret: true }),
  SMTP_URL: setting(
    optional(url('smtp:', 'smtps:')),
    undefined,
    'mail server for production mail, `smtp://user:password@host:587`; without it mail waits for seven days',
    { secret: true },
  ),
  MAIL_FROM: setting(
    optional(mailbox),
    undefined,
    'sender of that mail, `Name <address>`; default: Lyceum <no-reply@host of SSO_URL>',
  ),
  SMS_URL: setting(
    optional(url('http:', 'https:')),
    undefined,
    'SMS provider that takes POST {to, text, message_id}; without it codes by SMS are not offered',
  ),
  SMS_TOKEN: setting(optional(text), undefined, 'Bearer token for the SMS provider', { secret: true }),
  STRIPE_WEBHOOK_SECRET: setting(
    optional(text),
    undefined,
    'signing secret of the Stripe endpoint that posts to /api/v1/payments/stripe; without it payments are told by operators only',
    { secret: true },
  ),
  STRIPE_WEBHOOK_TOLERANCE: setting(
    integer(1, 86_400),
    300,
    'seconds after which a signature of Stripe is too old',
  ),
  LOG_LEVEL: setting(
    word('fatal', 'error', 'warn', 'info', 'debug', 'silent'),
    'info',
    'what is written to the log on stderr',
  ),
}
