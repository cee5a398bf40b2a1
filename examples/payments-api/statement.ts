import { idempotent } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'

interface Asked {
  readonly day: string
  readonly currency: 'EUR' | 'USD'
  /** Only shows what would be in it: nothing is remembered of that. */
  readonly isDraft?: boolean
}

interface Statement {
  readonly number: number
  readonly payments: number
  readonly madeAt?: string
}

let made = 0

/** A job in a container: the statement of a day has one number, whichever process asks for it and how often. */
export const statementOf = idempotent(
  {
    store: dynamoDbStore({ tableName: 'lineclear' }),
    name: 'statements',
    key: ({ day }: Asked) => day,
    // Readable in the table: `lineclear explain statements/2026-11-22`.
    hash: 'plain',
    // A day has one currency: asked again in another one it is refused.
    payload: ({ currency }: Asked) => currency,
    when: ({ isDraft }: Asked) => isDraft !== true,
    // A container has no time limit that would be known: renewed while it runs, and over soon after its death.
    lease: '1m',
    // Payments of the day may still come: an empty statement is made again.
    validResponse: ({ payments }) => payments > 0,
    onReplay: (statement, { from }): Statement => ({ ...statement, madeAt: from }),
  },
  async (_asked: Asked): Promise<Statement> => ({
    number: (made += 1),
    payments: made > 1 ? 4 : 0,
  }),
)
