export type Book = () => Promise<unknown>

/** Of each payment the first attempt stands still, past its time, until a later one has booked it. Then it goes on. */
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
