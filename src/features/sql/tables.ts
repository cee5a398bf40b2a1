import { wrongOption } from '../../base/options.ts'

/** The names of the tables as they stand in a statement, with their schema if one was given. */
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
