/** What is wrong with a request: the HTTP status of its answer, and its words for the page. */
export class RequestError extends Error {
  override readonly name: string = 'RequestError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}
