/** A route of `lineclear dev` that did nothing, and why. */
export class DevRefusal extends Error {
  override readonly name = 'DevRefusal'
  /** 400: a wrong body. 404: FILE does not have it. 409: not now. */
  readonly status: 400 | 404 | 409
  /** What to do. */
  readonly help: readonly string[]

  constructor(status: 400 | 404 | 409, message: string, ...help: readonly string[]) {
    super(message)
    this.status = status
    this.help = help
  }
}
