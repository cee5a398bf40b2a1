import type { Cause } from './world.ts'

/** Some differ by a status, a code or the name of a property only. */
export const CAUSES: readonly Cause[] = [
  {
    reason: 'exhausted',
    error: (nth) => `BankError: HTTP 503 for order ${nth} after ${nth * 7} ms`,
    says: 'HTTP 503',
  },
  { reason: 'exhausted', error: (nth) => `BankError: HTTP 401 for order ${nth}`, says: 'HTTP 401' },
  { reason: 'terminal', error: (nth) => `BankError: HTTP 400 for order ${nth}`, says: 'HTTP 400' },
  {
    reason: 'exhausted',
    error: () => `TypeError: Cannot read properties of undefined (reading 'total')`,
    says: `'total'`,
  },
  {
    reason: 'exhausted',
    error: () => `TypeError: Cannot read properties of undefined (reading 'items')`,
    says: `'items'`,
  },
  {
    reason: 'exhausted',
    error: (nth) => `PostgresError: code: 23505, key (id)=(${nth}) exists`,
    says: '23505',
  },
  {
    reason: 'exhausted',
    error: (nth) => `PostgresError: code: 23503, key (id)=(${nth}) is referenced`,
    says: '23503',
  },
  {
    reason: 'exhausted',
    error: (nth) => `Error: connect ECONNREFUSED 10.0.0.${nth % 250}:5432`,
    says: 'ECONNREFUSED',
  },
  {
    reason: 'terminal',
    error: (nth) => `KundeError: Straße von „Müller ${nth}“ ist gesperrt`,
    says: 'ist gesperrt',
  },
  {
    reason: 'rejected',
    error: (nth) => `items.${nth}.price: expected number, got a text`,
    says: 'price: expected number',
  },
  { reason: 'too old', error: (nth) => `sent ${nth} days ago`, says: 'days ago' },
]

/** A table of the user's, whose writes are refused. */
export const THROTTLED: Cause = {
  reason: 'exhausted',
  error: () => 'StoreUnavailableError: DynamoDB throttles a table. Table shelves.',
  says: 'throttles a table',
}

/** Whether its call was made is unknown. */
export const DOUBT: Cause = {
  reason: 'unknown',
  error: (nth) => `Error: socket hang up at charge ${nth}`,
  says: 'socket hang up',
}
