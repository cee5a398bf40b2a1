/** A model of the systems behind the tools. */
export const outside = {
  requests: 0,
  /** By idempotency key. */
  bookings: new Map<string, string>(),
  /** How often each page was sent. */
  faxes: new Map<unknown, number>(),
}

export type Arguments = Readonly<Record<string, string | number>>

interface Tool {
  readonly ifUnknown: 'repeat' | 'stop'
  /** What the tool refuses is an answer, too, for the model to read. Only what is to be tried again is thrown. */
  run(args: Arguments, idempotencyKey: string): Promise<string>
}

export const TOOLS: Readonly<Record<'book' | 'fax', Tool>> = {
  /** It knows idempotency keys: with the same key it books once. */
  book: {
    ifUnknown: 'repeat',
    run: async ({ night = '' }, key) => {
      outside.requests += 1
      const booked = outside.bookings.get(key) ?? `night ${night} is booked`
      outside.bookings.set(key, booked)
      return booked
    },
  },
  /** It knows no keys: a second call is a second fax. */
  fax: {
    ifUnknown: 'stop',
    run: async ({ page = '' }) => {
      outside.faxes.set(page, (outside.faxes.get(page) ?? 0) + 1)
      return `page ${page} is sent`
    },
  },
}
