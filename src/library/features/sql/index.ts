// @acts

export type { SqlContext, SqlEffects } from '../../run/context/sqlEffects.ts'
export type { SqlClient, SqlTag } from './database.ts'
export type {
  PostgresClient,
  PostgresPool,
  PostgresQuery,
  PostgresResult,
  PostgresTransaction,
} from './pool.ts'
export { type PostgresEffects, postgresEffects, type PostgresOptions } from './postgresEffects.ts'
export { postgresTables } from './statements.ts'
