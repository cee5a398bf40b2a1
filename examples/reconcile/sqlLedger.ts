import { Pool } from 'pg'

interface Booking {
  readonly booking_id: string
  readonly order_id: string
  readonly booked_at: Date
}

const PAGE = `
  SELECT booking_id, order_id, booked_at FROM bookings
  WHERE booking_id > $1 AND booked_at >= $2
  ORDER BY booking_id LIMIT 10000`

/** The bookings of an SQL database, page by page. Connect to the primary: a replica may be behind. */
export default async function* bookings({
  since = new Date(0),
}: {
  since?: Date
}): AsyncGenerator<{ id: string; at: Date }> {
  const database = new Pool()
  const pageAfter = async (last: string): Promise<readonly Booking[]> =>
    (await database.query<Booking>(PAGE, [last, since])).rows
  try {
    let page = await pageAfter('0')
    while (page.length > 0) {
      for (const { order_id, booked_at } of page) yield { id: order_id, at: booked_at }
      page = await pageAfter(page.at(-1)?.booking_id ?? '')
    }
  } finally {
    await database.end()
  }
}
