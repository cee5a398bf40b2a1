export type Serially = <T>(write: () => Promise<T>) => Promise<T>

/**
 * Runs the writes of one attempt one after the other. Each is a transaction on the item of the claim, and DynamoDB cancels a
 * transaction that meets another one on an item: in parallel they would cancel each other until their retries are exhausted.
 * A write that fails does not block the next.
 */
export function serialWrites(): Serially {
  let last: Promise<unknown> = Promise.resolve()
  return (write) => {
    const mine = last.then(write)
    last = mine.catch(() => {})
    return mine
  }
}
