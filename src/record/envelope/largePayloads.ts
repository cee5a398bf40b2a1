/** What a message carries in place of a payload that is kept elsewhere. It names no place: its receiver knows one of its own. */
export interface CarriedPayload {
  /** Hash of the payload, hexadecimal. It is also its name where it is kept. */
  readonly sha256: string
  /** Hash by which tokens compare payloads, hexadecimal: the same as of a message that carries the payload itself. */
  readonly md5: string
  /** Bytes of UTF-8. */
  readonly bytes: number
}

/** A payload that leaves its message. */
export interface MovedPayload {
  readonly carried: CarriedPayload
  /** The body that has `body`, or the notification that has it inside, with a text for operators in its place. */
  replaceIn(body: string): string
  /** Has to succeed before the message is sent. @throws StoreUnavailableError */
  store(): Promise<void>
}

/** Where payloads are kept that do not fit into a message, made by `s3Payloads({ bucket })`, or `memoryPayloads()` in a test. */
export interface LargePayloads {
  /** @throws TerminalError when the payload is too large for here, too */
  move(payload: string): MovedPayload
  /**
   * @throws RejectedError when it is too large, missing, or not what was sent
   * @throws StoreUnavailableError when it cannot be read now
   */
  read(carried: CarriedPayload): Promise<string>
}
