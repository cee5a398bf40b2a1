export type Serially = <T>(write: () => Promise<T>) => Promise<T>

/**
 * The writes of one attempt go one after the other. Each is a transaction on the one item that holds its claim, and
 * DynamoDB cancels a transaction that meets another one on an item: side by side they would stop each other until their
 * retries are used up. One that fails does not hold up the next.
 */
export function serialWrites(): Serially {
  let last: Promise<unknown> = Promise.resolve()
  return (write) => {
    const mine = last.then(write)
    last = mine.catch(() => {})
    return mine
  }
}
