import { recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { postgresEffects } from 'lineclear/postgres'
import { Pool } from 'pg'
import { orderIdOf } from '../events.ts'
import type { Peer } from './peer.ts'
import { quietly } from './quietly.ts'

/** Lineclear with one statement in a transaction of PostgreSQL, made once for each record. */
export const sql: Peer = ({ client, work, quiet }) =>
  recordHandler(
    {
      name: 'orders',
      store: dynamoDbStore({ tableName: 'lineclear', ...(client !== undefined && { client }) }),
      ...quietly(quiet),
      sql: postgresEffects(new Pool({ connectionString: process.env['DATABASE_URL'] })),
    },
    async (payload, ctx) => {
      await work(payload)
      await ctx.sql('book', (tx) =>
        tx.query('INSERT INTO bookings (id) VALUES ($1)', [orderIdOf(payload)]),
      )
    },
  )
