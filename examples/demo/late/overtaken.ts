export type Book = () => Promise<unknown>

/** The first attempt at each payment stops, past its time, until a later one has booked the payment. Then it goes on. */
export function overtaken(): (payment: string, book: Book) => Promise<void> {
  const first = new Map<string, PromiseWithResolvers<void>>()
  return async (payment, book) => {
    const earlier = first.get(payment)
    if (earlier === undefined) {
      const isBooked = Promise.withResolvers<void>()
      first.set(payment, isBooked)
      await isBooked.promise
    }
    await book()
    earlier?.resolve()
  }
}
