import type { LedgerRow, LedgerWindow } from 'lineclear/operator'
import { Pool } from 'pg'

const PAGE = `
  SELECT booking_id, order_id, booked_at FROM bookings
  WHERE booking_id > $1 AND booked_at >= $2
  ORDER BY booking_id LIMIT 10000`

/** The bookings of an SQL database, page by page. Connect to the primary: a replica may be behind. */
export default async function* bookings({ since }: LedgerWindow): AsyncGenerator<LedgerRow> {
  await using stack = new AsyncDisposableStack()
  const database = stack.adopt(new Pool(), (pool) => pool.end())
  let last = '0'
  for (;;) {
    const { rows } = await database.query(PAGE, [last, since ?? new Date(0)])
    for (const { order_id, booked_at } of rows) yield { id: order_id, at: booked_at }
    if (rows.length === 0) return
    last = rows.at(-1).booking_id
  }
}
