/** What is wrong with a request: the HTTP status of its answer, and its words for the page. */
export class RequestError extends Error {
  override readonly name: string = 'RequestError'
  readonly status: number
  /** The methods that are allowed, of a 405. */
  readonly allow: string | undefined

  constructor(status: number, message: string, allow?: string) {
    super(message)
    this.status = status
    this.allow = allow
  }
}
