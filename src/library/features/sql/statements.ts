import { DAY_MS } from '../../base/limits/lifetime.ts'
import type { SqlAttempt } from '../../run/context/sqlEffects.ts'
import type { Fencing } from '../../protocol/claim/hold.ts'
import { stableId } from '../../base/ids.ts'
import { wrongOption } from '../../base/options.ts'

/** A statement in the form of a tagged template: each value belongs between two of the `strings`. */
export interface SqlStatement {
  readonly strings: TemplateStringsArray
  /** Texts only, which the statement casts: no client has to guess a type. */
  readonly values: readonly string[]
}

/** Names of tables and other statements become part of the text, everything else is a value. */
function sql(
  strings: TemplateStringsArray,
  ...parts: readonly (string | number | SqlStatement)[]
): SqlStatement {
  const texts = [strings[0] ?? '']
  const append = (text = ''): number => texts.push(`${texts.pop() ?? ''}${text}`)
  for (const [index, part] of parts.entries()) {
    const [first, ...further] = typeof part === 'object' ? part.strings : ['', '']
    append(first)
    texts.push(...further)
    append(strings[index + 1])
  }
  const values = parts.flatMap((part) => (typeof part === 'object' ? part.values : String(part)))
  return statement(texts, values)
}

function statement(texts: readonly string[], values: readonly string[]): SqlStatement {
  return { strings: Object.assign(texts, { raw: texts }), values }
}

/** For clients whose placeholders are `$1`, `$2`. */
export function textOf({ strings }: Pick<SqlStatement, 'strings'>): string {
  return strings.reduce((text, next, index) => `${text}$${index}${next}`)
}

/** @param left milliseconds. A frozen sandbox keeps its connection, and with it the lock of the row. */
export function limits(left: number): SqlStatement {
  const most = Math.max(Math.ceil(left), 1)
  const lock = Math.max(Math.ceil(left * 0.9), 1)
  return sql`SELECT set_config('lock_timeout', ${lock}::text, true),
    set_config('statement_timeout', ${most}::text, true),
    set_config('idle_in_transaction_session_timeout', ${most}::text, true)`
}

/** It gives a row, unless a later attempt has raised the fence. */
function gateOf(
  fence: SqlStatement,
  key: MarkKey,
  { fencing, retention }: SqlAttempt,
): SqlStatement {
  return sql`INSERT INTO ${fence} AS f (subject, epoch, stages, expires)
  VALUES (${key.subject}::text, ${fencing.epoch}::text::bigint,
    jsonb_build_object(${key.stage}::text, ${fencing.fence}::text::bigint),
    now() + ${retention}::text::float8 * interval '1 millisecond')
  ON CONFLICT (subject) DO UPDATE SET epoch = EXCLUDED.epoch, expires = EXCLUDED.expires,
    stages = CASE WHEN f.epoch = EXCLUDED.epoch AND f.expires >= now()
      THEN f.stages || EXCLUDED.stages ELSE EXCLUDED.stages END
  WHERE f.expires < now() OR f.epoch < EXCLUDED.epoch OR (f.epoch = EXCLUDED.epoch
    AND coalesce((f.stages ->> ${key.stage}::text)::bigint, 0) <= ${fencing.fence}::text::bigint)
  RETURNING 1`
}

/**
 * The gate and the mark. The second part runs only if the first has a row; the rows are read after the wait for their locks, so
 * READ COMMITTED is enough.
 */
export function enter(tables: TableNames, attempt: SqlAttempt, name: string): SqlStatement {
  const { fence, mark } = namesOf(tables)
  const key = markKey(attempt.fencing, name)
  return sql`WITH gate AS (
  ${gateOf(fence, key, attempt)}
), mark AS (
  INSERT INTO ${mark} AS m (subject, request, stage, name, expires)
  SELECT ${key.subject}::text, ${key.request}::text, ${key.stage}::text, ${key.name}::text,
    now() + ${markKeptFor(attempt.retention)}::text::float8 * interval '1 millisecond'
  FROM gate
  ON CONFLICT (subject, request, stage, name) DO UPDATE
    SET result = NULL, made = now(), expires = EXCLUDED.expires WHERE m.expires < now()
  RETURNING 1
)
SELECT (SELECT count(*) FROM gate)::int AS gate, (SELECT count(*) FROM mark)::int AS mark,
  txid_current()::text AS tx`
}

/** The gate without a mark. The marks of the request are kept for another retention, as its dead letter may be. */
export function raise(tables: TableNames, attempt: SqlAttempt): SqlStatement {
  const { fence, mark } = namesOf(tables)
  const key = markKey(attempt.fencing, '')
  return sql`WITH gate AS (
  ${gateOf(fence, key, attempt)}
), kept AS (
  UPDATE ${mark} SET expires =
    now() + ${markKeptFor(attempt.retention)}::text::float8 * interval '1 millisecond'
  WHERE subject = ${key.subject}::text AND request = ${key.request}::text AND expires >= now()
    AND EXISTS (SELECT 1 FROM gate)
)
SELECT (SELECT count(*) FROM gate)::int AS gate`
}

/** @param tx the transaction that set the mark: a function that commits by itself is found out here */
export function keep(
  tables: TableNames,
  attempt: SqlAttempt,
  name: string,
  result: string,
  tx: string,
): SqlStatement {
  const { mark } = namesOf(tables)
  const key = markKey(attempt.fencing, name)
  return sql`UPDATE ${mark} SET result = ${result}::text
  WHERE subject = ${key.subject}::text AND request = ${key.request}::text AND stage = ${key.stage}::text
    AND name = ${key.name}::text AND txid_current()::text = ${tx}::text
  RETURNING 1 AS kept`
}

/** A statement of its own: the gate's sees the table as it was before the wait. */
export function readSqlResult(tables: TableNames, attempt: SqlAttempt, name: string): SqlStatement {
  const { mark } = namesOf(tables)
  const key = markKey(attempt.fencing, name)
  return sql`SELECT result FROM ${mark}
  WHERE subject = ${key.subject}::text AND request = ${key.request}::text AND stage = ${key.stage}::text
    AND name = ${key.name}::text`
}

/** What has expired changes no decision, so it may be deleted at any time. */
export function deleteExpired(tables: TableNames): SqlStatement {
  const { fence, mark } = namesOf(tables)
  return sql`WITH marks AS (DELETE FROM ${mark} WHERE expires < now() RETURNING 1),
  fences AS (DELETE FROM ${fence} WHERE expires < now() RETURNING 1)
SELECT (SELECT count(*) FROM marks)::int + (SELECT count(*) FROM fences)::int AS deleted`
}

function namesOf({ fence, mark }: TableNames): Readonly<Record<'fence' | 'mark', SqlStatement>> {
  return { fence: statement([fence], []), mark: statement([mark], []) }
}

/** The columns that identify an effect. */
interface MarkKey {
  readonly subject: string
  readonly request: string
  readonly stage: string
  readonly name: string
}

export function markKey({ subject, request, stage }: Fencing, name: string): MarkKey {
  return {
    subject: column(subject),
    request: column(request),
    stage: column(stage),
    name: column(name),
  }
}

/** Bytes. Four columns of an index entry have to stay below 2,704 bytes. */
const LONGEST = 600

/** PostgreSQL stores neither the character 0 nor half of a surrogate pair. */
function column(text: string): string {
  const fits = Buffer.byteLength(text) <= LONGEST && !text.includes('\0') && text.isWellFormed()
  return fits ? text : `hash:${stableId(text)}`
}

/** The names of the tables as statements have them, with their schema if one was given. */
export interface TableNames {
  readonly schema: string | undefined
  readonly fence: string
  readonly mark: string
}

const SCHEMA = /^[A-Za-z_][\w$]{0,62}$/

/** @throws ConfigError when it is no name of a schema */
export function tableNames(who: string, schema: string | undefined): TableNames {
  if (schema !== undefined && !(typeof schema === 'string' && SCHEMA.test(schema))) {
    throw wrongOption(who, 'schema', 'the name of a schema, such as billing', schema)
  }
  const prefix = schema === undefined ? '' : `"${schema}".`
  return { schema, fence: `${prefix}lineclear_fence`, mark: `${prefix}lineclear_mark` }
}

/**
 * The tables of `ctx.sql` as SQL, for a migration: `lineclear_fence` has one row for each request of a consumer and for each
 * key of a flow, `lineclear_mark` one for each effect. Both keep a row for about the retention of the consumer. It may be run
 * again.
 * @param schema default: the first one of the search path
 * @throws ConfigError when it is no name of a schema
 * @example await pool.query(postgresTables())
 */
export function postgresTables(schema?: string): string {
  const { fence, mark } = tableNames('postgresTables', schema)
  return `CREATE TABLE IF NOT EXISTS ${fence} (
  subject text COLLATE "C" PRIMARY KEY,
  epoch bigint NOT NULL,
  stages jsonb NOT NULL,
  expires timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS lineclear_fence_expires ON ${fence} (expires);
CREATE TABLE IF NOT EXISTS ${mark} (
  subject text COLLATE "C",
  request text COLLATE "C",
  stage text COLLATE "C",
  name text COLLATE "C",
  result text,
  made timestamptz NOT NULL DEFAULT now(),
  expires timestamptz NOT NULL,
  PRIMARY KEY (subject, request, stage, name)
);
CREATE INDEX IF NOT EXISTS lineclear_mark_expires ON ${mark} (expires);
`
}

/**
 * How long a mark is kept, milliseconds. Longer than the request can be delivered again, because the database has its own clock:
 * a mark that is missing repeats its effect, and a mark that is kept too long suppresses it.
 */
export function markKeptFor(retention: number): number {
  return retention + Math.min(retention / 10, DAY_MS)
}
