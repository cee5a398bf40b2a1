import { recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'
import { transaction } from './database.ts'

const Payment = z.object({ paymentId: z.string(), account: z.string(), cents: z.int() })

/** Books in an SQL database: the row that says "applied" and the booking are one transaction of that database. */
export const handler = recordHandler(
  {
    name: 'bookings',
    store: dynamoDbStore({ tableName: 'lineclear' }),
    schema: Payment,
    id: ({ paymentId }) => paymentId,
  },
  ({ account, cents }, ctx) => {
    // The same key in every attempt of this request, also in one that is late and has lost its claim.
    const effect = ctx.idempotencyKey('book')
    transaction((run) => {
      const isFirst = run('INSERT INTO applied (effect) VALUES (?) ON CONFLICT DO NOTHING', effect)
      if (isFirst) run('UPDATE accounts SET cents = cents + ? WHERE name = ?', cents, account)
    })
  },
)
